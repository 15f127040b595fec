import type { Import } from './imports.ts'
import { roleOf } from './roles.ts'

const kernel = /^server\/(http|db|git|policy|events|jobs|threads|lib)\//
/** Namespaces are what users and groups share, so both may import them. */
const foundation = /^server\/domains\/(users|auth|namespaces|groups|projects|members|settings|storage)\//
const inServer = /^server\//
const inRenderer = /^renderer\//
const inElectron = /^electron\//
interface Matcher {
  test: (path: string) => boolean
}

/** The domain a file belongs to. */
export const domainOf = (path: string) => /^server\/domains\/([^/]+)\//.exec(path)?.[1]
const named = (name: string): Matcher => new RegExp(`^server/domains/.*/${name}\\.ts$`)
const inDomains = /^server\/domains\/[^/]+\//
const byRole = (name: string): Matcher => ({
  test: (path) => inDomains.test(path) && roleOf(path) === name,
})
const isDoor = (path: string) =>
  /^server\/domains\/[^/]+\/index\.ts$/.test(path) || /\/(events|entity)\.ts$/.test(path)

export interface Rule {
  readonly name: string
  readonly forbids: (edge: Import) => boolean
  /** An import that the rule must catch: a rule that catches nothing would always pass. */
  readonly example: [from: string, to: string]
}

function never(name: string, from: Matcher, to: RegExp, example: [string, string]): Rule {
  return { name, forbids: (edge) => from.test(edge.from) && to.test(edge.to), example }
}

/** A package that only one module may import at run time. Type imports are allowed everywhere. */
function home(name: string, packages: RegExp, homes: RegExp): Rule {
  const forbids = (edge: Import) => !edge.isType && packages.test(edge.to) && !homes.test(edge.from)
  return { name, forbids, example: ['server/domains/releases/service.ts', name.split(' ')[0] as string] }
}

/**
 * Imports that are forbidden for files of a role. `role` finds the files: by their own name, or by their folder, too.
 */
const layers = (role: (name: string) => Matcher): Rule[] => [
  never(
    'store ↛ git, http, events, jobs, service',
    role('store'),
    /^server\/(git|http|events|jobs)\/|\/(events|service|routes|subscribers)\.ts$/,
    ['server/domains/releases/store.ts', 'server/domains/releases/events.ts'],
  ),
  {
    name: 'entity ↛ db, store, git and whatever stands above it (the type of a row aside)',
    forbids: (edge) =>
      role('entity').test(edge.from) &&
      !edge.isType &&
      /^server\/(db|git|jobs|events)\/|\/(store|service|routes|subscribers)\.ts$/.test(edge.to),
    example: ['server/domains/releases/entity.ts', 'server/domains/releases/store.ts'],
  },
  never('service ↛ http, routes', role('service'), /^server\/http\/|^koa|\/(routes|subscribers)\.ts$/, [
    'server/domains/releases/service.ts',
    'server/http/endpoint.ts',
  ]),
  never(
    'routes ↛ db, git, jobs, events',
    role('routes'),
    /^server\/(db|git|jobs|events)\/|\/subscribers\.ts$/,
    ['server/domains/releases/routes.ts', 'server/db/database.ts'],
  ),
  never('subscribers ↛ http, routes', role('subscribers'), /^server\/http\/|\/routes\.ts$/, [
    'server/domains/ci/subscribers.ts',
    'server/domains/ci/routes.ts',
  ]),
  never(
    'policy ↛ whatever reads or writes',
    role('policy'),
    /^server\/(db|git|jobs|events)\/|\/(store|service|routes|subscribers)\.ts$/,
    ['server/domains/ci/policy.ts', 'server/domains/ci/store.ts'],
  ),
  never('events ↛ anything but zod', role('events'), /^(?!zod$|server\/(events|lib)\/)/, [
    'server/domains/ci/events.ts',
    'server/domains/ci/store.ts',
  ]),
]

/** The rules for every role, including roles that folders declare. */
export const layersByRole: Rule[] = [
  ...layers(byRole),
  never(
    'model ↛ whatever reads or writes',
    byRole('model'),
    /^server\/(db|git|http|jobs|events|ssh|threads)\/|^server\/lib\/outbound|^(fs|fs\/promises|child_process|worker_threads|net|http|https|tls|dns)$|\/(store|service|routes|subscribers|jobs)(-[\w-]+)?\.ts$/,
    ['server/domains/ci_config/build/jobs.ts', 'server/domains/ci/store.ts'],
  ),
]

/** Rules 1 to 5 of the house's forbidden imports. */
export const rules: Rule[] = [
  {
    name: 'renderer ↛ server, electron (the type of the bridge aside)',
    forbids: (edge) =>
      inRenderer.test(edge.from) &&
      (inServer.test(edge.to) ||
        (inElectron.test(edge.to) && !(edge.to === 'electron/bridge.ts' && edge.isType))),
    example: ['renderer/main.ts', 'electron/bridge.ts'],
  },
  never('server ↛ shell, renderer', inServer, /^(electron|renderer)\//, [
    'server/index.ts',
    'electron/main.ts',
  ]),
  never('shell ↛ renderer, server (its index aside)', inElectron, /^(renderer|server\/(?!index\.ts$))/, [
    'electron/main.ts',
    'server/commands.ts',
  ]),
  never('kernel ↛ domains', kernel, /^server\/domains(\/|\.ts)/, [
    'server/http/pipeline.ts',
    'server/domains/auth/index.ts',
  ]),
  never('lib ↛ anything but lib', /^server\/lib\//, /^(server\/(?!lib\/)|electron\/|renderer\/)/, [
    'server/lib/log.ts',
    'server/ctx.ts',
  ]),
  never('git ↛ db, policy, http', /^server\/git\//, /^server\/(db|policy|http)\//, [
    'server/git/process/run.ts',
    'server/db/open.ts',
  ]),
  never('db ↛ git, http, policy', /^server\/db\//, /^server\/(git|http|policy)\//, [
    'server/db/open.ts',
    'server/git/process/run.ts',
  ]),
  {
    name: 'foundation ↛ feature',
    forbids: (edge) =>
      foundation.test(edge.from) && domainOf(edge.to) !== undefined && !foundation.test(edge.to),
    example: ['server/domains/projects/service.ts', 'server/domains/releases/index.ts'],
  },
  {
    name: 'one domain enters another by its index, its events or an entity',
    forbids: (edge) => {
      const [from, to] = [domainOf(edge.from), domainOf(edge.to)]
      return from !== undefined && to !== undefined && from !== to && !isDoor(edge.to)
    },
    example: ['server/domains/releases/service.ts', 'server/domains/projects/store.ts'],
  },
  ...layers(named),
  home('better-sqlite3 in server/db', /^better-sqlite3/, /^server\/db\//),
  home('ssh2 in server/ssh', /^ssh2$/, /^server\/ssh\//),
  home('openpgp in server/lib/pgp.ts', /^openpgp$/, /^server\/lib\/pgp\.ts$/),
  home('koa in server/http', /^(koa|koa-body|@koa\/.*)$/, /^server\/http\//),
  // The built-in runner runs the programs of CI jobs, which is its purpose. Node can neither set attributes of files nor
  // copy a file without releasing the locks on it.
  home(
    'child_process where server/git starts and ends programs, in server/jobs, the built-in runner, and for two needs of files',
    /^child_process$/,
    /^server\/(git\/process\/(run\.ts$|survivors\.ts$|spawner\/)|jobs\/|domains\/ci\/built_in_runner\/|lib\/files\/(btrfs|copy-locked-file)\.ts$)/,
  ),
  // Files in `lib` may check whether they run in the main thread.
  home(
    'worker_threads in server/threads',
    /^worker_threads$/,
    /^server\/(threads\/|lib\/files\/private-folder\.ts$)/,
  ),
  never(
    'threads ↛ anything but lib',
    /^server\/threads\//,
    /^(server\/(?!(lib|threads)\/)|electron\/|renderer\/)/,
    ['server/threads/thread.ts', 'server/ctx.ts'],
  ),
  home('electron in electron', /^electron$/, inElectron),
  home('undici in server/lib/outbound.ts', /^undici$/, /^server\/lib\/outbound\.ts$/),
]
