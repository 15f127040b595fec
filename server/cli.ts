import { cacheCompiledCode } from './compiled-code.ts'

// This file stays small: modules loaded after these lines come from V8's compile cache.
cacheCompiledCode(process.argv, process.env)
const { runCommand } = await import('./commands.ts')
await runCommand()
