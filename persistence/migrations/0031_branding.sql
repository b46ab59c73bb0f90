-- How a merchant's checkout looks to its customers; a merchant without a row has none of it. Empty texts: not set. logo: the SHA-256 of the
-- logo's file in hexadecimal digits, so that the directory, which is read often, does without the file.
CREATE TABLE IF NOT EXISTS merchant_branding (
  merchant_id {string 64} NOT NULL,
  shop_name {string 255} NOT NULL,
  colour {string 7} NOT NULL,
  support {string 320} NOT NULL,
  logo {string 64} NOT NULL,
  PRIMARY KEY (merchant_id)
) {clustered};

-- The logo's PNG file in base64url; empty once it has been removed.
CREATE TABLE IF NOT EXISTS merchant_logos (
  merchant_id {string 64} NOT NULL,
  file {text} NOT NULL,
  PRIMARY KEY (merchant_id)
) {clustered};
