"""Every action of the app, its keys and words; what an action does is a flow's."""
