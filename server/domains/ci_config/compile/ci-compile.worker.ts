import { type MainThread, serve } from '../../../threads/serve.ts'
import type { Resolver } from '../includes/entry.ts'
import type { CompileWork } from './compile-apart.ts'
import { compileConfig } from './compile.ts'

type Method = keyof Resolver
type Args<Name extends Method> = Parameters<NonNullable<Resolver[Name]>>
type Result<Name extends Method> = ReturnType<NonNullable<Resolver[Name]>>

/** Returns a resolver that asks the main thread to read the files. */
function mainThreadResolver(main: MainThread<CompileWork>): Resolver {
  const ask = <Name extends Method>(method: Name, args: Args<Name>) =>
    main.ask({ method, args }) as Result<Name>
  return {
    read: (...args) => ask('read', args),
    list: (...args) => ask('list', args),
    open: (...args) => ask('open', args),
    remote: (...args) => ask('remote', args),
    exists: (...args) => ask('exists', args),
    artifact: (...args) => ask('artifact', args),
    template: (...args) => ask('template', args),
  }
}

serve<CompileWork>(({ text, options }, main) => compileConfig(text, mainThreadResolver(main), options))
