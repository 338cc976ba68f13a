/* Calls every function of the header at full size, with right arguments and wrong ones. Prints what went wrong, with its
 * line, and ends with status 1 then. */
#include <cryptable.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULUS = 16, COUNT = 16 };

#define TEST(holds) \
    do { \
        if (!(holds)) { \
            fprintf(stderr, "line %d: %s does not hold; last error: %s\n", __LINE__, #holds, cryptable_last_error()); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)
#define OK(call) TEST((call) == CRYPTABLE_STATUS_OK)
#define FAILS(call, code, words) \
    do { \
        TEST((call) == CRYPTABLE_STATUS_##code); \
        TEST(strstr(cryptable_last_error(), words) != NULL); \
    } while (0)

static uint64_t values[COUNT], results[COUNT];
static CryptableRequest request = {
    .input_modulus = MODULUS, .output_modulus = MODULUS, .values = COUNT, .engine = CRYPTABLE_ENGINE_SINGLE};
static CryptablePlan *plan;
static CryptableSecretKey *secret, *other;
static CryptableEvaluationKey *key;
static CryptableCiphertext *input;

/* Decrypts a ciphertext and compares it with a function of the values. */
static void expect(const CryptableCiphertext *found, uint64_t (*function)(uint64_t))
{
    TEST(cryptable_ciphertext_count(found) == COUNT && cryptable_ciphertext_modulus(found) == MODULUS);
    OK(cryptable_decrypt(secret, found, results, COUNT));
    for (int i = 0; i < COUNT; i++)
        TEST(results[i] == function(values[i]));
}

static uint64_t same(uint64_t x) { return x; }
static uint64_t square(uint64_t x) { return x * x % MODULUS; }
static uint64_t twice(uint64_t x) { return 2 * x % MODULUS; }

static void plans(void)
{
    CryptableFigures figures;
    CryptablePlan *none = (CryptablePlan *)&figures;
    OK(cryptable_plan(&request, &plan));
    OK(cryptable_plan_figures(plan, &figures));
    TEST(figures.security_bits >= 128 && figures.log2_fail <= -64 && figures.seconds > 0 && figures.threads > 0);
    TEST(figures.engine == CRYPTABLE_ENGINE_SINGLE && figures.values == COUNT && figures.values_per_ciphertext == 1);
    TEST(figures.key_bytes > 0 && figures.ciphertext_bytes > 0 && figures.result_bytes > 0);
    TEST(figures.memory_bytes > figures.key_bytes && strlen(cryptable_plan_method(plan)) > 0);

    FAILS(cryptable_plan(NULL, &none), ARGUMENT, "`request` is NULL");
    TEST(none == NULL);
    FAILS(cryptable_plan(&request, NULL), ARGUMENT, "`result` is NULL");
    FAILS(cryptable_plan_figures(NULL, &figures), ARGUMENT, "`plan` is NULL");
    FAILS(cryptable_plan_figures(plan, NULL), ARGUMENT, "`result` is NULL");
    TEST(cryptable_plan_method(NULL) == NULL);

    CryptableRequest wrong = request;
    wrong.engine = 77;
    FAILS(cryptable_plan(&wrong, &none), RANGE, "77 is not an engine");
    wrong = request;
    wrong.threads = 5000;
    FAILS(cryptable_plan(&wrong, &none), RANGE, "at most 1024");
    wrong = request;
    wrong.memory = 1 << 20;
    FAILS(cryptable_plan(&wrong, &none), PLAN, "of memory");
    wrong = request;
    wrong.log2_fail = -128;
    wrong.engine = CRYPTABLE_ENGINE_LEVELED;
    OK(cryptable_plan(&wrong, &none));
    OK(cryptable_plan_figures(none, &figures));
    TEST(figures.log2_fail <= -128 && figures.engine == CRYPTABLE_ENGINE_LEVELED);
    cryptable_plan_free(none);
}

static void secret_keys(void)
{
    CryptableSecretKey *none = NULL;
    CryptableBytes *bytes = NULL;
    CryptableCiphertext *ciphertext = NULL;
    CryptableSecretKey *generated = NULL, *loaded = NULL;
    OK(cryptable_secret_key_generate(plan, &generated));
    OK(cryptable_secret_key_generate(plan, &other));
    OK(cryptable_secret_key_save(generated, "client.key"));
    OK(cryptable_secret_key_load("client.key", &loaded));
    OK(cryptable_secret_key_to_bytes(loaded, &bytes));
    OK(cryptable_secret_key_from_bytes(cryptable_bytes_data(bytes), cryptable_bytes_length(bytes), &secret));
    FAILS(cryptable_secret_key_from_bytes(cryptable_bytes_data(bytes), 100, &none), FORMAT, "");
    TEST(none == NULL);
    cryptable_bytes_free(bytes);
    cryptable_secret_key_free(loaded);

    OK(cryptable_encrypt(generated, values, COUNT, &input));
    expect(input, same);
    cryptable_secret_key_free(generated);

    FAILS(cryptable_secret_key_generate(NULL, &none), ARGUMENT, "`plan` is NULL");
    FAILS(cryptable_secret_key_load("no such file", &none), IO, "no such file: ");
    FAILS(cryptable_secret_key_load(NULL, &none), ARGUMENT, "`path` is NULL");
    FAILS(cryptable_secret_key_load("\xff", &none), ARGUMENT, "not UTF-8");
    FAILS(cryptable_secret_key_save(secret, "no such folder/key"), IO, "no such folder/key");
    FAILS(cryptable_secret_key_from_bytes(NULL, 3, &none), ARGUMENT, "`bytes` is NULL");
    FAILS(cryptable_secret_key_from_bytes(NULL, 0, &none), FORMAT, "");
    FAILS(cryptable_secret_key_to_bytes(NULL, &bytes), ARGUMENT, "`secret` is NULL");
    TEST(bytes == NULL && cryptable_bytes_data(NULL) == NULL && cryptable_bytes_length(NULL) == 0);

    const uint64_t large[2] = {1, MODULUS};
    FAILS(cryptable_encrypt(secret, large, 2, &ciphertext), RANGE, "value 16 at position 1");
    FAILS(cryptable_encrypt(secret, NULL, 2, &ciphertext), ARGUMENT, "`values` is NULL");
    FAILS(cryptable_encrypt(secret, values, SIZE_MAX, &ciphertext), RANGE, "at most");
    FAILS(cryptable_encrypt(secret, values, 0, &ciphertext), RANGE, "");
    FAILS(cryptable_encrypt(NULL, values, COUNT, &ciphertext), ARGUMENT, "`secret` is NULL");
    FAILS(cryptable_decrypt(secret, input, results, COUNT - 1), RANGE, "15 elements");
    FAILS(cryptable_decrypt(secret, input, NULL, COUNT), ARGUMENT, "`values` is NULL");
    FAILS(cryptable_decrypt(secret, NULL, results, COUNT), ARGUMENT, "`ciphertext` is NULL");
    FAILS(cryptable_decrypt(other, input, results, COUNT), MISMATCH, "");
}

/* Copies a file, with one byte changed. */
static void damage(const char *from, const char *to, long offset)
{
    FILE *source = fopen(from, "rb"), *target = fopen(to, "wb");
    TEST(source != NULL && target != NULL);
    for (long i = 0;; i++) {
        int byte = getc(source);
        if (byte == EOF)
            break;
        putc(i == offset ? byte ^ 1 : byte, target);
    }
    TEST(fclose(source) == 0 && fclose(target) == 0);
}

static void evaluation_keys(void)
{
    CryptableEvaluationKey *none = NULL, *made = NULL;
    OK(cryptable_secret_key_save_evaluation_key(secret, 2, "server.key"));
    OK(cryptable_evaluation_key_load("server.key", &key));
    OK(cryptable_evaluation_key_generate(secret, 0, &made));
    cryptable_evaluation_key_free(made);

    damage("server.key", "damaged.key", 5000);
    FAILS(cryptable_evaluation_key_load("damaged.key", &none), FORMAT, "damaged.key: ");
    FAILS(cryptable_evaluation_key_load("client.key", &none), FORMAT, "client.key: ");
    FAILS(cryptable_evaluation_key_from_bytes((const uint8_t *)"key", 3, &none), FORMAT, "");
    FAILS(cryptable_evaluation_key_generate(secret, 2000, &none), RANGE, "at most 1024");
    FAILS(cryptable_secret_key_save_evaluation_key(NULL, 0, "none.key"), ARGUMENT, "`secret` is NULL");
    FAILS(cryptable_secret_key_save_evaluation_key(secret, 0, NULL), ARGUMENT, "`path` is NULL");
    TEST(none == NULL && fopen("none.key", "rb") == NULL);
}

static void lookups(void)
{
    CryptableTable *table = NULL, *none = NULL;
    CryptableCiphertext *output = NULL, *sum = NULL;
    uint64_t squares[MODULUS];
    for (uint64_t x = 0; x < MODULUS; x++)
        squares[x] = square(x);
    OK(cryptable_table_prepare(key, squares, MODULUS, MODULUS, &table));
    OK(cryptable_lookup(key, input, table, 2, &output));
    expect(output, square);
    OK(cryptable_add(key, input, input, &sum));
    expect(sum, twice);
    cryptable_ciphertext_free(sum);

    FAILS(cryptable_table_prepare(key, squares, 3, MODULUS, &none), MISMATCH, "");
    FAILS(cryptable_table_prepare(key, squares, MODULUS, 3, &none), TABLE, "");
    FAILS(cryptable_table_prepare(key, NULL, MODULUS, MODULUS, &none), ARGUMENT, "`outputs` is NULL");
    FAILS(cryptable_table_prepare(NULL, squares, MODULUS, MODULUS, &none), ARGUMENT, "`key` is NULL");
    CryptableCiphertext *foreign = NULL;
    OK(cryptable_encrypt(other, values, COUNT, &foreign));
    FAILS(cryptable_lookup(key, foreign, table, 0, &sum), MISMATCH, "");
    FAILS(cryptable_add(key, input, foreign, &sum), MISMATCH, "");
    FAILS(cryptable_lookup(NULL, input, table, 0, &sum), ARGUMENT, "`key` is NULL");
    FAILS(cryptable_lookup(key, NULL, table, 0, &sum), ARGUMENT, "`input` is NULL");
    FAILS(cryptable_lookup(key, input, NULL, 0, &sum), ARGUMENT, "`table` is NULL");
    FAILS(cryptable_add(key, input, NULL, &sum), ARGUMENT, "`y` is NULL");
    TEST(sum == NULL && none == NULL);
    cryptable_ciphertext_free(foreign);
    cryptable_ciphertext_free(output);
    cryptable_table_free(table);
}

static void ciphertexts(void)
{
    CryptableCiphertext *loaded = NULL, *read = NULL, *none = NULL;
    CryptableBytes *bytes = NULL;
    OK(cryptable_ciphertext_save(input, "input.ct"));
    OK(cryptable_ciphertext_load("input.ct", &loaded));
    OK(cryptable_ciphertext_to_bytes(loaded, &bytes));
    OK(cryptable_ciphertext_from_bytes(cryptable_bytes_data(bytes), cryptable_bytes_length(bytes), &read));
    expect(read, same);
    damage("input.ct", "damaged.ct", 200);
    FAILS(cryptable_ciphertext_load("damaged.ct", &none), FORMAT, "damaged.ct: ");
    FAILS(cryptable_ciphertext_load("server.key", &none), FORMAT, "server.key: ");
    FAILS(cryptable_ciphertext_from_bytes(cryptable_bytes_data(bytes), 70, &none), FORMAT, "");
    FAILS(cryptable_ciphertext_save(NULL, "none.ct"), ARGUMENT, "`ciphertext` is NULL");
    TEST(none == NULL && cryptable_ciphertext_count(NULL) == 0 && cryptable_ciphertext_modulus(NULL) == 0);
    cryptable_bytes_free(bytes);
    cryptable_ciphertext_free(read);
    cryptable_ciphertext_free(loaded);
}

static void public_keys(void)
{
    CryptablePublicKey *made = NULL, *loaded = NULL, *read = NULL, *none = NULL;
    CryptableCiphertext *contributed = NULL;
    CryptableBytes *bytes = NULL;
    OK(cryptable_public_key_generate(secret, &made));
    OK(cryptable_public_key_save(made, "public.key"));
    OK(cryptable_public_key_load("public.key", &loaded));
    OK(cryptable_public_key_to_bytes(loaded, &bytes));
    OK(cryptable_public_key_from_bytes(cryptable_bytes_data(bytes), cryptable_bytes_length(bytes), &read));
    OK(cryptable_public_key_encrypt(read, values, COUNT, &contributed));
    expect(contributed, same);
    FAILS(cryptable_public_key_load("input.ct", &none), FORMAT, "input.ct: ");
    FAILS(cryptable_public_key_encrypt(NULL, values, COUNT, &contributed), ARGUMENT, "`key` is NULL");
    TEST(none == NULL && contributed == NULL);
    cryptable_bytes_free(bytes);
    cryptable_public_key_free(read);
    cryptable_public_key_free(loaded);
    cryptable_public_key_free(made);
}

int main(void)
{
    TEST(strcmp(cryptable_last_error(), "") == 0 && strchr(cryptable_version(), '.') != NULL);
    for (uint64_t i = 0; i < COUNT; i++)
        values[i] = i;
    plans();
    secret_keys();
    evaluation_keys();
    lookups();
    ciphertexts();
    public_keys();
    cryptable_ciphertext_free(input);
    cryptable_evaluation_key_free(key);
    cryptable_secret_key_free(other);
    cryptable_secret_key_free(secret);
    cryptable_plan_free(plan);
    cryptable_plan_free(NULL);
    cryptable_secret_key_free(NULL);
    cryptable_evaluation_key_free(NULL);
    cryptable_public_key_free(NULL);
    cryptable_ciphertext_free(NULL);
    cryptable_table_free(NULL);
    cryptable_bytes_free(NULL);
    puts("every function is as the header says");
    return EXIT_SUCCESS;
}
