"""Plans: what an inventory or an export says about a build, before anything is bought or moved.

Nothing here touches a machine: a plan is worked out from files.
"""
