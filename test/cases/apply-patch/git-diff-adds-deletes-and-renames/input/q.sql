one
-- two
