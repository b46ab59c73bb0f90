-- A destination is looked up by its id alone, too.
CREATE INDEX destinations_by_id ON destinations (destination_id);
