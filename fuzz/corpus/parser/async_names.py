async = 1
await = 2
def f(): async = await
