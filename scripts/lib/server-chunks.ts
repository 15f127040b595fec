import { relative } from 'node:path'
import type { Plugin } from 'vite'

/** A module of the bundle, as far as its imports go. */
interface ModuleImports {
  readonly importedIds: readonly string[]
  readonly dynamicallyImportedIds: readonly string[]
}

/** The modules that start an instance or the application, and the declarations of domains. */
const STARTS = /^(server\/commands|electron\/main)\.ts$/
const DOMAIN = /^server\/domains\/([a-z_]+)\/index\.ts$/
/** What runs before V8's compile cache is on. */
const FIRST = /^server\/(cli|run-script)\.ts$/

/**
 * Sorts the modules of the server into files: one for everything that every start needs, one for the endpoints of each
 * domain, and one for what the endpoints of several domains need. Without this, the bundler writes 400 small files, and
 * each takes a third of a millisecond. `nameOf` returns the name of a module's file; undefined leaves it to the bundler.
 */
export function serverChunks(root: string): {
  plugin: Plugin
  nameOf: (id: string) => string | undefined
} {
  const names = new Map<string, string>()
  const plugin: Plugin = {
    name: 'server-chunks',
    buildEnd() {
      names.clear()
      const modules = new Map<string, ModuleImports>()
      for (const id of this.getModuleIds()) modules.set(id, this.getModuleInfo(id)!)
      for (const [id, name] of namesOf(modules, (id) => relative(root, id).replaceAll('\\', '/')))
        names.set(id, name)
    },
  }
  return { plugin, nameOf: (id) => names.get(id) }
}

function namesOf(
  modules: ReadonlyMap<string, ModuleImports>,
  pathOf: (id: string) => string,
): Map<string, string> {
  const idsWith = (pattern: RegExp) => [...modules.keys()].filter((id) => pattern.test(pathOf(id)))
  const first = reachable(modules, idsWith(FIRST))
  const start = reachable(modules, idsWith(STARTS))
  const names = new Map<string, string>()
  for (const id of idsWith(DOMAIN)) {
    const name = `endpoints-${DOMAIN.exec(pathOf(id))![1]!}`
    for (const member of reachable(modules, modules.get(id)!.dynamicallyImportedIds))
      names.set(member, names.has(member) ? 'endpoints' : name)
  }
  for (const id of start) names.set(id, 'start')
  for (const id of first) names.delete(id)
  return names
}

/** The modules and all that they import statically. */
function reachable(modules: ReadonlyMap<string, ModuleImports>, ids: readonly string[]): Set<string> {
  const found = new Set(ids)
  // The loop also visits the modules that it adds.
  for (const id of found) for (const next of modules.get(id)?.importedIds ?? []) found.add(next)
  return found
}
