/* Lookup tables on encrypted data: the C interface of cryptable.
 *
 * Made of crates/capi/src by `make capi-header`; do not edit. SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A client plans, makes a secret key, encrypts and decrypts. A server gets the client's evaluation key and ciphertexts,
 * and maps each value through a table without learning any of them. examples/lookup.c is a whole program.
 *
 * Rules that all functions share:
 * - Functions that can fail return a CryptableStatus. cryptable_last_error() then has the message, for this thread.
 * - Handles come out of the last argument, which is set to NULL if the call fails, and belong to the caller, who frees
 *   each of them once, by the function of its type. Freeing NULL does nothing. Secret keys and values are cleared from
 *   memory when they are freed.
 * - A pointer is NULL, which is an error and no crash, or points to what its type says, for as long as the call lasts.
 *   A pointer to elements points to as many as the number beside it says, and may be NULL if there are none.
 * - Handles do not change, so threads may share them. None may use a handle that another one frees.
 * - Files are written whole or not at all, in place of one of the same name. Files of secret keys are readable by their
 *   owner only. Paths are UTF-8 with a final 0.
 * - A number of threads of 0 means all processors that the process may use. 1024 is the most.
 * - Keys below 128 bits of security are refused, and so are keys that take more memory than the limits of the container
 *   and of the process leave. Work that is predicted to take more memory than is left fails with
 *   CRYPTABLE_STATUS_MEMORY before it begins; should the system refuse memory in the midst of work all the same, the
 *   process ends.
 */

#ifndef CRYPTABLE_H
#define CRYPTABLE_H

#include <stddef.h>
#include <stdint.h>

// Outcome of a call. Later versions may add codes.
typedef enum {
    // The call did what it is for.
    CRYPTABLE_STATUS_OK = 0,
    // A pointer is NULL that must not be, or a string is not UTF-8.
    CRYPTABLE_STATUS_ARGUMENT = 1,
    // A number is outside of its range, such as a value that is not below the modulus.
    CRYPTABLE_STATUS_RANGE = 2,
    // A table has a wrong number of entries, or an entry that is not below its modulus.
    CRYPTABLE_STATUS_TABLE = 3,
    // No parameters serve the request.
    CRYPTABLE_STATUS_PLAN = 4,
    // Keys, ciphertexts and tables do not belong together.
    CRYPTABLE_STATUS_MISMATCH = 5,
    // A file or buffer is damaged, or of another kind.
    CRYPTABLE_STATUS_FORMAT = 6,
    // A key is insecure, fails too often, or takes more memory than readers allow.
    CRYPTABLE_STATUS_TRUST = 7,
    // Memory does not suffice.
    CRYPTABLE_STATUS_MEMORY = 8,
    // A sum has too many terms for what is asked of it.
    CRYPTABLE_STATUS_NOISE = 9,
    // The operation does not exist for keys of this kind.
    CRYPTABLE_STATUS_UNSUPPORTED = 10,
    // A file cannot be read or written.
    CRYPTABLE_STATUS_IO = 11,
    // The library failed. This is an error in it: please report it.
    CRYPTABLE_STATUS_INTERNAL = 12,
} CryptableStatus;

// Ways to encrypt values.
typedef enum {
    // Whichever is best by prediction.
    CRYPTABLE_ENGINE_ANY = 0,
    // 65,536 values per ciphertext: seconds for all of them together, keys of gigabytes.
    CRYPTABLE_ENGINE_PACKED = 1,
    // One value per ciphertext, tables of up to 64 entries: milliseconds per value.
    CRYPTABLE_ENGINE_SINGLE = 2,
    // One value in several ciphertexts, tables of up to 2^24 entries: milliseconds per bit of a value.
    CRYPTABLE_ENGINE_LEVELED = 3,
} CryptableEngine;

// Bytes of a key or of a ciphertext, to be stored or sent. They are cleared when they are freed.
typedef struct CryptableBytes CryptableBytes;

// Encrypted values, under one client's key.
typedef struct CryptableCiphertext CryptableCiphertext;

// A client's evaluation key, by which a server looks values up. It decrypts nothing.
typedef struct CryptableEvaluationKey CryptableEvaluationKey;

// The best way to serve a request, from which secret keys are generated.
typedef struct CryptablePlan CryptablePlan;

// A client's public key, by which others encrypt values that only the client can decrypt.
typedef struct CryptablePublicKey CryptablePublicKey;

// A client's secret key. It encrypts and decrypts, and all other keys are made of it.
typedef struct CryptableSecretKey CryptableSecretKey;

// A table that is prepared for any number of lookups with keys of the same parameters.
typedef struct CryptableTable CryptableTable;

// A job and its limits. A field that is 0 leaves the choice to the library, so initialise with
// `CryptableRequest request = {.input_modulus = 16, .output_modulus = 16};`.
typedef struct {
    // Number of entries of the table: values are below it. Must be stated.
    uint64_t input_modulus;
    // Number that all entries of the table are below. Must be stated.
    uint64_t output_modulus;
    // Values that are looked up together. 0: as many as one packed ciphertext holds.
    uint64_t values;
    // Bytes of memory that the server may use, keys included. 0: no limit.
    uint64_t memory;
    // Base-2 logarithm of the largest probability that a lookup on one ciphertext goes wrong for any value. 0: -64.
    double log2_fail;
    // One of CryptableEngine.
    uint32_t engine;
    // Threads that times are predicted for. 0: all processors.
    uint32_t threads;
} CryptableRequest;

// Figures of a plan: what the parameters are, and what a lookup is predicted to take.
typedef struct {
    // Security in bits, by the library's tables.
    double security_bits;
    // Base-2 logarithm of the probability that a lookup on one ciphertext goes wrong for any of its values.
    double log2_fail;
    // Seconds for all values of the request.
    double seconds;
    // Values of the request, or those that were assumed.
    uint64_t values;
    // Values that one ciphertext holds.
    uint64_t values_per_ciphertext;
    // Bytes of the evaluation key in its file.
    uint64_t key_bytes;
    // Bytes of a fresh ciphertext.
    uint64_t ciphertext_bytes;
    // Bytes of a result.
    uint64_t result_bytes;
    // Bytes of memory that a lookup takes, the key included.
    uint64_t memory_bytes;
    // One of CryptableEngine.
    uint32_t engine;
    // Threads that the time is for.
    uint32_t threads;
} CryptableFigures;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the first of the bytes, or NULL if the handle is NULL. The pointer is valid until the bytes are freed.
const uint8_t *cryptable_bytes_data(const CryptableBytes *bytes);

// Returns the number of bytes; 0 if the handle is NULL.
size_t cryptable_bytes_length(const CryptableBytes *bytes);

// Clears and frees bytes.
void cryptable_bytes_free(CryptableBytes *bytes);

// Returns the number of values; 0 if the handle is NULL.
size_t cryptable_ciphertext_count(const CryptableCiphertext *ciphertext);

// Returns the number that all values are below; 0 if the handle is NULL.
uint64_t cryptable_ciphertext_modulus(const CryptableCiphertext *ciphertext);

// Encodes a ciphertext.
CryptableStatus cryptable_ciphertext_to_bytes(const CryptableCiphertext *ciphertext,
                                              CryptableBytes **result);

// Reads a ciphertext from bytes.
CryptableStatus cryptable_ciphertext_from_bytes(const uint8_t *bytes,
                                                size_t length,
                                                CryptableCiphertext **result);

// Writes a ciphertext to a file, which the command line reads, too.
CryptableStatus cryptable_ciphertext_save(const CryptableCiphertext *ciphertext, const char *path);

// Reads a ciphertext from a file.
CryptableStatus cryptable_ciphertext_load(const char *path, CryptableCiphertext **result);

// Frees a ciphertext.
void cryptable_ciphertext_free(CryptableCiphertext *ciphertext);

// Reads an evaluation key from a file, and checks all of it. Packed keys stay in the file, which is mapped into memory:
// replace such a file, but do not overwrite it while the key is in use.
CryptableStatus cryptable_evaluation_key_load(const char *path,
                                              CryptableEvaluationKey **result);

// Reads an evaluation key from bytes, which are copied.
CryptableStatus cryptable_evaluation_key_from_bytes(const uint8_t *bytes,
                                                    size_t length,
                                                    CryptableEvaluationKey **result);

// Frees an evaluation key.
void cryptable_evaluation_key_free(CryptableEvaluationKey *key);

// Prepares the table that maps x to `outputs[x]`. `count` must be the input modulus of the key's request,
// `output_modulus` its output modulus, and all outputs below that.
CryptableStatus cryptable_table_prepare(const CryptableEvaluationKey *key,
                                        const uint64_t *outputs,
                                        size_t count,
                                        uint64_t output_modulus,
                                        CryptableTable **result);

// Frees a table.
void cryptable_table_free(CryptableTable *table);

// Maps every value of a ciphertext through a table. The result has the table's output modulus, and only the client's
// secret key decrypts it.
CryptableStatus cryptable_lookup(const CryptableEvaluationKey *key,
                                 const CryptableCiphertext *input,
                                 const CryptableTable *table,
                                 uint32_t threads,
                                 CryptableCiphertext **result);

// Adds two ciphertexts value by value, modulo their common modulus.
CryptableStatus cryptable_add(const CryptableEvaluationKey *key,
                              const CryptableCiphertext *x,
                              const CryptableCiphertext *y,
                              CryptableCiphertext **result);

// Generates a public key of a secret key. Every call draws another one, and all of them serve.
CryptableStatus cryptable_public_key_generate(const CryptableSecretKey *secret,
                                              CryptablePublicKey **result);

// Encrypts values below the input modulus, for the client whose public key it is.
CryptableStatus cryptable_public_key_encrypt(const CryptablePublicKey *key,
                                             const uint64_t *values,
                                             size_t count,
                                             CryptableCiphertext **result);

// Encodes a public key.
CryptableStatus cryptable_public_key_to_bytes(const CryptablePublicKey *key,
                                              CryptableBytes **result);

// Reads a public key from bytes.
CryptableStatus cryptable_public_key_from_bytes(const uint8_t *bytes,
                                                size_t length,
                                                CryptablePublicKey **result);

// Writes a public key to a file.
CryptableStatus cryptable_public_key_save(const CryptablePublicKey *key, const char *path);

// Reads a public key from a file.
CryptableStatus cryptable_public_key_load(const char *path, CryptablePublicKey **result);

// Frees a public key.
void cryptable_public_key_free(CryptablePublicKey *key);

// Finds the best parameters for a request. The first plan on a machine measures it for a second, and keeps the result in
// the user's cache folder.
CryptableStatus cryptable_plan(const CryptableRequest *request,
                               CryptablePlan **result);

// Writes the figures of a plan to `result`.
CryptableStatus cryptable_plan_figures(const CryptablePlan *plan, CryptableFigures *result);

// Returns the name of the method of a plan, such as "FDFB-KS"; NULL if the handle is NULL. It is valid until the plan is
// freed.
const char *cryptable_plan_method(const CryptablePlan *plan);

// Frees a plan.
void cryptable_plan_free(CryptablePlan *plan);

// Generates a secret key with fresh randomness, for the parameters of a plan.
CryptableStatus cryptable_secret_key_generate(const CryptablePlan *plan,
                                              CryptableSecretKey **result);

// Encrypts values below the input modulus. Decryption returns them in the same order.
CryptableStatus cryptable_encrypt(const CryptableSecretKey *secret,
                                  const uint64_t *values,
                                  size_t count,
                                  CryptableCiphertext **result);

// Decrypts a ciphertext to `values`, an array of `count` elements, which must be its cryptable_ciphertext_count().
CryptableStatus cryptable_decrypt(const CryptableSecretKey *secret,
                                  const CryptableCiphertext *ciphertext,
                                  uint64_t *values,
                                  size_t count);

// Generates the evaluation key for a server in this process. cryptable_secret_key_save_evaluation_key() is for servers
// elsewhere.
CryptableStatus cryptable_evaluation_key_generate(const CryptableSecretKey *secret,
                                                  uint32_t threads,
                                                  CryptableEvaluationKey **result);

// Generates the evaluation key and writes it to a file, for a server to load. The whole key is never in memory.
CryptableStatus cryptable_secret_key_save_evaluation_key(const CryptableSecretKey *secret,
                                                         uint32_t threads,
                                                         const char *path);

// Encodes a secret key. Whoever has the bytes can decrypt.
CryptableStatus cryptable_secret_key_to_bytes(const CryptableSecretKey *secret,
                                              CryptableBytes **result);

// Reads a secret key from bytes.
CryptableStatus cryptable_secret_key_from_bytes(const uint8_t *bytes,
                                                size_t length,
                                                CryptableSecretKey **result);

// Writes a secret key to a file that only its owner can read.
CryptableStatus cryptable_secret_key_save(const CryptableSecretKey *secret, const char *path);

// Reads a secret key from a file.
CryptableStatus cryptable_secret_key_load(const char *path, CryptableSecretKey **result);

// Clears and frees a secret key.
void cryptable_secret_key_free(CryptableSecretKey *secret);

// Returns the message of the last call that failed in this thread, in English; an empty string if none has. It is valid
// until another call fails in this thread, or the thread ends.
const char *cryptable_last_error(void);

// Returns the version of the library, such as "0.1.0".
const char *cryptable_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CRYPTABLE_H */
