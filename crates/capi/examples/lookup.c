/* A client and a server in one program: squares modulo 16 of encrypted values.
 *
 * cc lookup.c $(pkg-config --cflags --libs cryptable) -o lookup
 */
#include <cryptable.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODULUS = 16, COUNT = 4 };

/* Ends the program if a call failed. */
static void check(CryptableStatus status)
{
    if (status != CRYPTABLE_STATUS_OK) {
        fprintf(stderr, "error %d: %s\n", (int)status, cryptable_last_error());
        exit(EXIT_FAILURE);
    }
}

/* The server: it gets files, and has no secret. */
static void serve(const char *key_path, const char *input_path, const char *output_path)
{
    CryptableEvaluationKey *key = NULL;
    CryptableCiphertext *input = NULL, *output = NULL;
    CryptableTable *table = NULL;
    uint64_t squares[MODULUS];
    for (uint64_t x = 0; x < MODULUS; x++)
        squares[x] = x * x % MODULUS;
    check(cryptable_evaluation_key_load(key_path, &key));
    check(cryptable_ciphertext_load(input_path, &input));
    check(cryptable_table_prepare(key, squares, MODULUS, MODULUS, &table));
    check(cryptable_lookup(key, input, table, 0, &output));
    check(cryptable_ciphertext_save(output, output_path));
    cryptable_ciphertext_free(output);
    cryptable_table_free(table);
    cryptable_ciphertext_free(input);
    cryptable_evaluation_key_free(key);
}

int main(void)
{
    const uint64_t values[COUNT] = {3, 0, 15, 6};
    uint64_t results[COUNT];
    CryptableRequest request = {.input_modulus = MODULUS, .output_modulus = MODULUS, .values = COUNT};
    CryptableFigures figures;
    CryptablePlan *plan = NULL;
    CryptableSecretKey *secret = NULL;
    CryptableCiphertext *input = NULL, *output = NULL;

    check(cryptable_plan(&request, &plan));
    check(cryptable_plan_figures(plan, &figures));
    printf("%s: %.0f bits of security, fails with 2^%.0f, key of %.0f MB\n", cryptable_plan_method(plan),
           figures.security_bits, figures.log2_fail, (double)figures.key_bytes / 1e6);

    check(cryptable_secret_key_generate(plan, &secret));
    check(cryptable_secret_key_save_evaluation_key(secret, 0, "server.key"));
    check(cryptable_encrypt(secret, values, COUNT, &input));
    check(cryptable_ciphertext_save(input, "input.ct"));

    serve("server.key", "input.ct", "output.ct");

    check(cryptable_ciphertext_load("output.ct", &output));
    check(cryptable_decrypt(secret, output, results, COUNT));
    for (int i = 0; i < COUNT; i++)
        printf("%d -> %d\n", (int)values[i], (int)results[i]);

    cryptable_ciphertext_free(output);
    cryptable_ciphertext_free(input);
    cryptable_secret_key_free(secret);
    cryptable_plan_free(plan);
    return EXIT_SUCCESS;
}
