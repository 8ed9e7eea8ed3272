"""How the weights in vision/models came to be: faces, scenes, networks and their training.

Nothing here runs at a table. `make train` runs it in an environment of its own, with PyTorch.
"""
