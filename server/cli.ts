import { keepCompiledCode } from './compiled-code.ts'
import { keepSmall } from './small-memory.ts'

// Small on purpose: what is loaded after these lines is taken from the cache as V8 compiled it the last time.
keepSmall(process.argv)
keepCompiledCode(process.argv, process.env)
const { runCommand } = await import('./commands.ts')
await runCommand()
