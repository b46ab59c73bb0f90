-- The nodes that share this database. beats rises with each renewal of a node's lease: whoever watches it knows that the node lives.
-- status: joining, up, draining or gone. published and yielded: numbers of directory_log. last_seen: by the database's clock.
CREATE TABLE IF NOT EXISTS nodes (
  name {string 64} NOT NULL,
  incarnation {string 64} NOT NULL,
  address {string 255} NOT NULL,
  status {string 16} NOT NULL,
  asked_to_drain {integer} NOT NULL,
  beats {integer} NOT NULL,
  published {integer} NOT NULL,
  yielded {integer} NOT NULL,
  payments {integer} NOT NULL,
  last_seen {integer} NOT NULL,
  PRIMARY KEY (name)
) {clustered};

-- What nodes tell each other: whose directory entries have changed, and who has come or goes. In the order of the commits, because each
-- raises the number in directory_head, whose row it holds until its end.
CREATE TABLE IF NOT EXISTS directory_log (
  number {integer} NOT NULL,
  kind {string 16} NOT NULL,
  id {string 64} NOT NULL,
  PRIMARY KEY (number, kind, id)
) {clustered};

-- One row. turn: rises with each operator's change, which names the turn that it was planned in, so that two nodes never
-- plan with the same knowledge.
CREATE TABLE IF NOT EXISTS directory_head (
  id {integer} NOT NULL,
  number {integer} NOT NULL,
  turn {integer} NOT NULL,
  PRIMARY KEY (id)
) {clustered};

-- A start that ended half-way may have inserted it already.
DELETE FROM directory_head;
INSERT INTO directory_head (id, number, turn) VALUES (1, 0, 0);
