"""Where ops of a lane stand, so that their values fit into registers and loads come early."""
