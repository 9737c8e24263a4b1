DROP TABLE IF EXISTS purchase, item, customer, task;
DROP SEQUENCE IF EXISTS invoice;
CREATE TABLE customer (id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, profile jsonb NOT NULL DEFAULT '{}');
CREATE TABLE item (id bigserial PRIMARY KEY, name text NOT NULL, text text NOT NULL DEFAULT '', cents int NOT NULL,
    stock int NOT NULL DEFAULT 0 CHECK (stock >= 0));
CREATE TABLE purchase (id bigserial PRIMARY KEY, customer bigint NOT NULL REFERENCES customer, item bigint NOT NULL REFERENCES item,
    quantity int NOT NULL CHECK (quantity > 0));
CREATE TABLE task (id bigserial PRIMARY KEY, name text NOT NULL);
CREATE SEQUENCE invoice;
