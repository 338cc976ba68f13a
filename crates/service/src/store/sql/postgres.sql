-- The tables of a server in PostgreSQL, equal to those in SQLite after all migrations (`schema.rs`).
CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE client(
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, token_hash BYTEA NOT NULL,
  used_us BIGINT NOT NULL DEFAULT 0);
CREATE TABLE lookup_table(
  name TEXT PRIMARY KEY, digest TEXT NOT NULL, input_modulus BIGINT NOT NULL, output_modulus BIGINT NOT NULL,
  signed_inputs BIGINT NOT NULL DEFAULT 0, signed_outputs BIGINT NOT NULL DEFAULT 0);
CREATE TABLE upload(
  id TEXT PRIMARY KEY, client BIGINT NOT NULL REFERENCES client ON DELETE CASCADE, kind TEXT NOT NULL,
  sha256 TEXT NOT NULL, length BIGINT NOT NULL, "offset" BIGINT NOT NULL, touched BIGINT NOT NULL DEFAULT 0,
  recipient BIGINT REFERENCES client ON DELETE SET NULL, UNIQUE(client, kind, sha256));
CREATE TABLE object(
  rowid BIGINT GENERATED ALWAYS AS IDENTITY, id TEXT PRIMARY KEY,
  client BIGINT NOT NULL REFERENCES client ON DELETE CASCADE, kind TEXT NOT NULL, sha256 TEXT NOT NULL,
  bytes BIGINT NOT NULL, about TEXT NOT NULL, parameters BYTEA NOT NULL, used BIGINT NOT NULL DEFAULT 0,
  recipient BIGINT REFERENCES client ON DELETE SET NULL, UNIQUE(client, kind, sha256));
CREATE TABLE job(
  sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id TEXT NOT NULL UNIQUE,
  client BIGINT NOT NULL REFERENCES client ON DELETE CASCADE, request TEXT, state TEXT NOT NULL,
  sent_order TEXT NOT NULL, key TEXT NOT NULL, ciphertext TEXT NOT NULL, tables TEXT NOT NULL,
  estimate_s DOUBLE PRECISION NOT NULL, reserved BIGINT NOT NULL, reason TEXT, ended BIGINT,
  attempts BIGINT NOT NULL DEFAULT 0, progress DOUBLE PRECISION NOT NULL DEFAULT 0, lease BIGINT NOT NULL DEFAULT 0,
  beat BIGINT NOT NULL DEFAULT 0, worker TEXT NOT NULL DEFAULT '', UNIQUE(client, request));
CREATE TABLE result(
  job TEXT NOT NULL REFERENCES job(id) ON DELETE CASCADE, place BIGINT NOT NULL, file TEXT NOT NULL UNIQUE,
  bytes BIGINT NOT NULL, PRIMARY KEY(job, place));
CREATE TABLE part(
  job TEXT NOT NULL REFERENCES job(id) ON DELETE CASCADE, place BIGINT NOT NULL, number BIGINT NOT NULL,
  file TEXT NOT NULL UNIQUE, bytes BIGINT NOT NULL DEFAULT 0, count BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY(job, place, number));
CREATE TABLE removed(id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, file TEXT NOT NULL);
CREATE TABLE looked(at BIGINT NOT NULL);
CREATE INDEX job_of_state ON job(state, client, sequence);
CREATE INDEX job_of_client ON job(client, sequence);
CREATE INDEX object_of_client ON object(client, kind);
CREATE INDEX object_of_recipient ON object(recipient, kind);

-- Functions that queries use and only SQLite has.
CREATE FUNCTION max(BIGINT, BIGINT) RETURNS BIGINT IMMUTABLE LANGUAGE sql AS 'SELECT greatest($1, $2)';
CREATE FUNCTION max(DOUBLE PRECISION, DOUBLE PRECISION) RETURNS DOUBLE PRECISION IMMUTABLE LANGUAGE sql
  AS 'SELECT greatest($1, $2)';
CREATE FUNCTION min(BIGINT, BIGINT) RETURNS BIGINT IMMUTABLE LANGUAGE sql AS 'SELECT least($1, $2)';
CREATE FUNCTION instr(TEXT, TEXT) RETURNS BIGINT IMMUTABLE LANGUAGE sql AS 'SELECT strpos($1, $2)::BIGINT';
CREATE FUNCTION json_array_length(TEXT) RETURNS BIGINT IMMUTABLE LANGUAGE sql
  AS 'SELECT json_array_length($1::JSON)::BIGINT';
CREATE FUNCTION json_each(TEXT) RETURNS TABLE(value TEXT) IMMUTABLE LANGUAGE sql
  AS 'SELECT json_array_elements_text($1::JSON)';

-- Files to be removed are recorded in the transaction that removes their rows.
CREATE FUNCTION upload_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS(SELECT 1 FROM object WHERE id = old.id) THEN INSERT INTO removed(file) VALUES (old.id); END IF;
  RETURN NULL; END $$;
CREATE TRIGGER upload_removed AFTER DELETE ON upload FOR EACH ROW EXECUTE FUNCTION upload_removed();
CREATE FUNCTION object_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO removed(file) VALUES (old.id); RETURN NULL; END $$;
CREATE TRIGGER object_removed AFTER DELETE ON object FOR EACH ROW EXECUTE FUNCTION object_removed();
CREATE FUNCTION result_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO removed(file) VALUES (old.file); RETURN NULL; END $$;
CREATE TRIGGER result_removed AFTER DELETE ON result FOR EACH ROW EXECUTE FUNCTION result_removed();
CREATE FUNCTION result_replaced() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF old.file <> new.file AND NOT EXISTS(SELECT 1 FROM part WHERE file = old.file)
  THEN INSERT INTO removed(file) VALUES (old.file); END IF;
  RETURN NULL; END $$;
CREATE TRIGGER result_replaced AFTER UPDATE ON result FOR EACH ROW EXECUTE FUNCTION result_replaced();
CREATE FUNCTION part_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS(SELECT 1 FROM result WHERE file = old.file)
  THEN INSERT INTO removed(file) VALUES (old.file); END IF;
  RETURN NULL; END $$;
CREATE TRIGGER part_removed AFTER DELETE ON part FOR EACH ROW EXECUTE FUNCTION part_removed();
CREATE FUNCTION table_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO removed(file) VALUES (old.digest); RETURN NULL; END $$;
CREATE TRIGGER table_removed AFTER DELETE ON lookup_table FOR EACH ROW EXECUTE FUNCTION table_removed();
CREATE TRIGGER table_replaced AFTER UPDATE ON lookup_table FOR EACH ROW WHEN (old.digest <> new.digest)
  EXECUTE FUNCTION table_removed();
