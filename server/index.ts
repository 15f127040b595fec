import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { dataPaths, isOfDataDir, type Config } from './config.ts'
import type { Ctx } from './ctx.ts'
import { lockDataDir } from './db/lock.ts'
import { openDatabase } from './db/open.ts'
import { webRoutesOf } from './domain.ts'
import { domains, mayReceive } from './domains.ts'
import { Facts } from './events/facts.ts'
import { discoverGit, GitNotFoundError } from './git/discover.ts'
import { createGit, forClient, inBackground } from './git/engine.ts'
import type { Client } from './git/locks.ts'
import { timeLimitOf } from './git/time-limits.ts'
import { createApp } from './http/app.ts'
import { CONNECTION_LIMITS, serverOptions, superviseConnections } from './http/connections.ts'
import { JobRunner } from './jobs/runner.ts'
import { finishRotation } from './key-rotation.ts'
import { Attempts } from './lib/attempts.ts'
import { Bookkeeping } from './lib/bookkeeping.ts'
import { isoTime, systemClock, type Clock } from './lib/clock.ts'
import { DEFAULT_HASH_COST } from './lib/crypto.ts'
import { StartupError } from './lib/fail.ts'
import { openLog, type Logger } from './lib/log.ts'
import { addressRange } from './lib/peer.ts'
import { Outbound } from './lib/outbound.ts'
import { keepOthersOut, makeFilesPrivate, makePrivateFolder } from './lib/private-folder.ts'
import { systemRandom } from './lib/random.ts'
import { keepReserve, useReserve } from './lib/reserve.ts'
import { restartOf } from './lib/restart.ts'
import { Secrets } from './lib/secrets.ts'
import { anonymous, system, type Actor } from './policy/actor.ts'
import { portsOf } from './ports.ts'
import { sweepRepositories } from './recovery.ts'
import type { SshDoor } from './ssh/server.ts'
import type { Instance, StartOptions } from './start-options.ts'

export { defaultDataDir } from './data-dir.ts'
export { StartupError } from './lib/fail.ts'
export type { Instance, StartOptions } from './start-options.ts'

/** The version that clients compare, unless configured (product.md). */
export const DEFAULT_VERSION = '15.11.13-ee'

const ports = portsOf(domains)

const STOP_GRACE_MS = 3000
/** How often a window polls, before the setting `polling_interval_multiplier`. */
const POLL_MS = 10_000

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new StartupError(`Port ${port} on ${host} is in use by another program.`)
    if (error.code === 'EACCES')
      throw new StartupError(`Port ${port} on ${host} may not be used by this user.`)
    throw new StartupError(`The instance cannot listen on ${host}, port ${port}: ${error.message}.`)
  })
  return server.address() as AddressInfo
}

/** Between listening and being ready; without an answer such a request would wait for ever. */
function answerTooEarly(_request: IncomingMessage, response: ServerResponse): void {
  const headers = { 'Content-Type': 'application/json', 'Retry-After': '1', Connection: 'close' }
  response.writeHead(503, headers).end('{"message":"503 Service Unavailable"}')
}

function makeFolders(dataDir: string): ReturnType<typeof dataPaths> {
  const paths = dataPaths(dataDir)
  try {
    makeFilesPrivate()
    makePrivateFolder(dataDir)
  } catch (error) {
    throw new StartupError(`The data folder ${dataDir} cannot be made: ${(error as Error).message}.`)
  }
  return paths
}

function makeStorage(name: string, dir: string): void {
  try {
    makePrivateFolder(dir)
  } catch (error) {
    const { message } = error as Error
    throw new StartupError(`The folder ${dir} of the storage "${name}" cannot be made: ${message}.`)
  }
}

/** Folders that were there before may be open to others. Only after the lock: another instance may have them. */
function closeFolders(dataDir: string, storages: readonly string[]): string[] {
  const said = [
    keepOthersOut(dataDir, isOfDataDir),
    ...storages.map((dir) => keepOthersOut(dir, (name) => /^[@.]/.test(name))),
  ]
  return said.filter((sentence) => sentence !== undefined)
}

async function findGit(options: StartOptions) {
  try {
    return await discoverGit({ setting: options.gitPath ?? null, bundled: options.bundledGitPath ?? null })
  } catch (error) {
    if (error instanceof GitNotFoundError) throw new StartupError(error.message)
    throw error
  }
}

/**
 * Starts an instance and resolves when it answers. Throws `StartupError`, whose message is one plain sentence, when
 * it cannot: the data folder or port is taken, git is missing or too old, the database is newer or unreadable.
 */
export async function startServer(options: StartOptions): Promise<Instance> {
  const paths = makeFolders(options.dataDir)
  const lock = lockDataDir(options.dataDir)
  const undo: (() => void | Promise<void>)[] = [() => lock.release()]
  const close = async (): Promise<void> => {
    const problems: unknown[] = []
    // Every step is taken, whatever became of the one before: the lock at least has to go.
    for (const step of undo.splice(0).reverse()) {
      try {
        await step()
      } catch (error) {
        problems.push(error)
      }
    }
    if (problems.length > 0) throw problems[0]
  }
  try {
    const foundGit = await findGit(options)
    const limits = { ...CONNECTION_LIMITS, ...options.connections }
    const server = createServer(serverOptions(limits))
    superviseConnections(server, limits)
    server.on('request', answerTooEarly)
    // Listening comes before opening the database, so that a taken port changes nothing on disk.
    const address = await listen(server, options.host ?? '127.0.0.1', options.port ?? 7080)
    undo.push(() => void server.close())
    lock.isAt(urlOf(options.host, address.port))
    // What was restored comes into its place before anything is opened; where it cannot be used, all goes back.
    if (ports.restore.begin(options.dataDir)) undo.splice(1, 0, () => ports.restore.undo(options.dataDir))
    finishRotation(paths)
    const ssh = await sshDoor(options, paths.ssh)
    if (ssh) undo.push(() => ssh.close())
    return await assemble({ options, paths, server, address, ssh, foundGit, undo, close })
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

/** Loaded only where it is asked for. */
async function sshDoor({ sshPort, host }: StartOptions, keyFolder: string): Promise<SshDoor | undefined> {
  if (sshPort === undefined) return undefined
  const { listenForSsh } = await import('./ssh/server.ts')
  return listenForSsh({ host: host ?? '127.0.0.1', port: sshPort, keyFolder })
}

interface Assembly {
  options: StartOptions
  paths: ReturnType<typeof dataPaths>
  server: Server
  address: AddressInfo
  ssh: SshDoor | undefined
  foundGit: { binary: string; version: string }
  undo: (() => void | Promise<void>)[]
  close: () => Promise<void>
}

function urlOf(host = '127.0.0.1', port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${shown}:${port}`
}

/** The address that people use; undefined where it is our own. Throws a sentence for what is none. */
function outsideUrl({ url }: StartOptions): string | undefined {
  if (!url) return undefined
  const parsed = URL.parse(url)
  const isPlain = parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && !parsed.username
  if (!isPlain || parsed.search || parsed.hash)
    throw new StartupError(`The address must be like https://forge.example.com, not "${url}".`)
  return parsed.origin
}

function trustedProxies({ trustedProxies: given = [] }: StartOptions): readonly string[] {
  const wrong = given.find((one) => addressRange(one) === undefined)
  if (wrong !== undefined)
    throw new StartupError(`"${wrong}" is no address of a proxy, and no range like 10.0.0.0/8.`)
  return given
}

function configOf({ options, address, ssh, foundGit }: Assembly): Config {
  return {
    dataDir: options.dataDir,
    host: options.host ?? '127.0.0.1',
    port: address.port,
    url: outsideUrl(options) ?? urlOf(options.host, address.port),
    ownUrl: urlOf(options.host, address.port),
    trustedProxies: trustedProxies(options),
    sshPort: ssh?.port,
    allowedHosts: options.allowedHosts ?? [],
    version: options.version ?? DEFAULT_VERSION,
    revision: options.revision ?? 'unknown',
    rendererDir: options.rendererDir,
    assetsDir: options.assetsDir,
    strict: options.strict ?? false,
    hashCost: options.hashCost ?? DEFAULT_HASH_COST,
    hookTimeoutMs: options.hookTimeoutMs ?? 10_000,
    vendorHosts: options.vendorHosts ?? {},
    storages: options.storages ?? {},
    impersonation: options.impersonation ?? true,
    gitVersion: foundGit.version,
  }
}

/** Puts the parts together; the only place that knows them all. */
async function assemble(parts: Assembly): Promise<Instance> {
  const { options, paths, server, foundGit, undo, close } = parts
  const clock = options.clock ?? systemClock
  const config = configOf(parts)
  const log = openLog(paths.logs, options.logLevel ?? 'info')
  undo.push(() => log.flush())
  for (const [name, dir] of Object.entries(config.storages)) makeStorage(name, dir)
  const closed = closeFolders(options.dataDir, Object.values(config.storages))
  const isTight = useReserve(paths.reserve)
  const db = openDatabase({
    file: paths.database,
    backupDir: paths.backups,
    repositories: paths.repositories,
    throwAway: options.throwAway ?? false,
    log,
  })
  undo.push(() => db.close())
  for (const sentence of closed) log.warn(sentence)
  if (isTight) log.error('the disk is full; the instance starts with the room that it kept for this')
  else if (!options.throwAway) keepReserve(paths.reserve, options.dataDir)
  rmSync(paths.tmp, { recursive: true, force: true })
  for (const dir of [paths.tmp, paths.repositories]) mkdirSync(dir, { recursive: true })
  const settings = () => ports.settings(db, isoTime(clock.now()))
  const git = createGit({
    binary: foundGit.binary,
    home: join(paths.git, 'home'),
    limitOf: (operation) => timeLimitOf(operation, settings().gitTimeLimits),
    observe: (operation) => log[operation.slow ? 'warn' : 'debug'](operation, 'git'),
  })
  undo.push(() => git.close())
  await sweepRepositories(git, log)
  const outbound = new Outbound((purpose) => settings().outbound(purpose, config))
  undo.push(() => outbound.close())
  const bookkeeping = new Bookkeeping((work) =>
    db.transaction(() => work((sql, ...parameters) => db.exec(sql, ...parameters))),
  )
  undo.push(() => bookkeeping.flush())
  const facts = new Facts(domains.flatMap((one) => one.subscribers))
  const shared = {
    db,
    git,
    log,
    config,
    random: options.random ?? systemRandom,
    secrets: new Secrets(paths.secretKey),
    attempts: new Attempts(),
    instance: instanceValues(),
    facts,
    outbound,
    bookkeeping,
  }
  const now = tellTime(clock)
  const contextFor = (actor: Actor, client?: Client): Ctx => ({
    ...shared,
    git: client ? forClient(git, client) : git,
    actor,
    now: now(),
    cause: null,
  })
  const jobs = domains.flatMap((one) => one.jobs)
  const backgroundGit = inBackground(git)
  const runner = new JobRunner(
    () => ({ ...contextFor(system), git: backgroundGit }),
    clock,
    jobs,
    domains.flatMap((one) => one.crons),
    Object.assign({}, ...domains.map((one) => one.subjects ?? {})) as Record<string, string>,
  )
  facts.poke = () => setImmediate(() => runner.poke())
  undo.push(() => runner.stop(STOP_GRACE_MS))
  const firstUser = { password: options.rootPassword, token: options.rootToken }
  for (const { prepare } of domains) await prepare?.(contextFor(system), firstUser)
  for (const { recover } of domains) await recover?.refs?.(contextFor(system))
  keepRestored(parts, log)
  for (const { recover } of domains) await recover?.rest?.(contextFor(system))
  await runner.resume()
  const app = createApp({
    endpoints: domains.flatMap((one) => one.endpoints),
    webRoutes: webRoutesOf(domains),
    contextFor,
    authenticate: ports.authenticate,
    standing: ports.standing,
    anonymous,
    mayReceive,
    throttles: () => ports.throttles(db, isoTime(clock.now())),
    checkWrite: ports.checkWrite,
    homePage: () => ports.homePage(contextFor(system)),
    presented: () => settings().presented,
    pollInterval: () => {
      const { pollFactor } = settings()
      return pollFactor === 0 ? -1 : Math.round(POLL_MS * pollFactor)
    },
    page: () => ({
      headers: settings().pageHeaders,
      pictures: ports.pictureOrigins(db, isoTime(clock.now())),
    }),
    bodyLimits: () => ({ maxFileBytes: settings().maxFileBytes, tmpDir: paths.tmp }),
    checks: { db: () => (db.one('SELECT 1') ? undefined : 'The database does not answer.') },
  })
  server.off('request', answerTooEarly).on('request', app.callback())
  undo.push(() => stopServing(server))
  const targets = domains.flatMap((one) => one.gitTargets ?? [])
  parts.ssh?.open(ports.ssh(contextFor, targets))
  undo.push(() => parts.ssh?.close())
  runner.start()
  for (const { open, stop } of domains) {
    if (stop) undo.push(() => stop(contextFor(system)))
    if (open) undo.push(open({ context: () => contextFor(system), gitBinary: foundGit.binary }))
  }
  log.info({ url: config.url, version: config.version, git: foundGit.version }, 'ready')
  return {
    url: config.url,
    ownerSession: () => ports.ownerSession(contextFor(system)),
    drain: () => runner.drain(),
    context: () => contextFor(system),
    restartAsked: restartOf(config).asked,
    close,
  }
}

/** The instance works with what was restored; from now on there is no way back. */
function keepRestored({ options }: Assembly, log: Logger): void {
  const last = ports.restore.commit(options.dataDir)
  if (last) log.info(last, 'a backup was restored')
}

/** The values of `ctx.instance`. */
function instanceValues(): Ctx['instance'] {
  const values = new Map<string, unknown>()
  return <T>(key: string, make: () => T): T => {
    if (!values.has(key)) values.set(key, make())
    return values.get(key) as T
  }
}

/** The time as text. Many requests fall into one millisecond, and writing it out costs more than reading it. */
function tellTime(clock: Clock): () => string {
  let last = NaN
  let text = ''
  return () => {
    const ms = clock.now()
    if (ms !== last) [last, text] = [ms, isoTime(ms)]
    return text
  }
}

/** Lets requests under way finish for a moment, then ends what is left (open streams, idle connections). */
async function stopServing(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), 1000)
  await closed
  clearTimeout(timer)
}
