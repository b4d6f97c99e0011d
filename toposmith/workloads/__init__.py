"""Does it serve my model: from a model and its parallelism to what the network has to give."""
