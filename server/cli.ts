import { keepCompiledCode } from './compiled-code.ts'

// Small on purpose: what is loaded after this line is taken from the cache as V8 compiled it the last time.
keepCompiledCode(process.argv, process.env)
const { runCommand } = await import('./commands.ts')
await runCommand()
