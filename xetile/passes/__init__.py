"""From tiles to lanes: one file for each pass, named by its verb; `order` holds their order and the reasons for it."""
