import { join } from 'node:path'

import { configOf, dataPaths, isDataDirName, publicUrl } from './config.ts'
import type { Ctx } from './ctx.ts'
import { lockDataDir } from './db/lock.ts'
import { EMPTY_DATABASE, openDatabase } from './db/open.ts'
import { endpointSources, webRoutesOf } from './domain.ts'
import { domains, mayReceive } from './domains.ts'
import { EventBus } from './events/publish.ts'
import { bundledEnvironment } from './git/process/bundled.ts'
import { discoverGit, GitNotFoundError } from './git/process/discover.ts'
import { createGit, forClient, inBackground } from './git/process/engine.ts'
import type { Client } from './git/process/locks.ts'
import { cloneToFolder } from './git/transport/clone-folder.ts'
import { timeLimitOf } from './git/process/time-limits.ts'
import { EndpointCalls } from './http/local-calls.ts'
import { createApp } from './http/app.ts'
import { certificateFiles } from './http/listener/certificate.ts'
import { openListener, type Listener } from './http/listener/listener.ts'
import { JobRunner } from './jobs/runner.ts'
import { stopRuns, stopSignal } from './jobs/runs.ts'
import { finishRotation } from './key-rotation.ts'
import { Attempts } from './lib/attempts.ts'
import { Bookkeeping } from './lib/bookkeeping.ts'
import { isoTime, MovableClock, systemClock, type Clock } from './lib/clock.ts'
import { Gate } from './lib/gate.ts'
import { StartupError } from './lib/fail.ts'
import { localCallsHolder } from './local-calls.ts'
import { openLog, type Logger } from './lib/log.ts'
import { Outbound } from './lib/outbound.ts'
import { gitTrust } from './lib/net/own-certificate.ts'
import { emptyFolder } from './lib/files/empty-folder.ts'
import { closeToOtherUsers, makeFilesPrivate, makePrivateFolder } from './lib/files/private-folder.ts'
import { systemRandom } from './lib/security/random.ts'
import { keepReserve, useReserve } from './lib/files/reserve.ts'
import { useMoreFileThreads } from './lib/files/file-threads.ts'
import { storageProblem } from './lib/files/storage-problem.ts'
import { Secrets } from './lib/security/secrets.ts'
import { anonymous, system, type Actor } from './policy/actor.ts'
import { portsOf, type Ports } from './ports.ts'
import { sweepRepositories } from './recovery.ts'
import { routes } from './routes.gen.ts'
import type { SshListener } from './ssh/server.ts'
import type { Instance, RunningWork, StartOptions } from './start-options.ts'

export { defaultDataDir } from './data-dir.ts'
export { DEFAULT_VERSION } from './config.ts'
export { StartupError } from './lib/fail.ts'
export type { FailedPipeline, Instance, RunningWork, StartOptions } from './start-options.ts'

const ports = portsOf(domains)
const endpoints = endpointSources(domains, routes)

/** The time in milliseconds that running jobs get to end when the instance stops. */
const STOP_GRACE_MS = 3000
/** The polling interval of a window in milliseconds, before `polling_interval_multiplier` changes it. */
const POLL_MS = 10_000

function makeFolders(dataDir: string): ReturnType<typeof dataPaths> {
  const paths = dataPaths(dataDir)
  try {
    makeFilesPrivate()
    makePrivateFolder(dataDir)
  } catch (error) {
    throw new StartupError(`The data folder ${dataDir} cannot be created: ${(error as Error).message}.`)
  }
  return paths
}

function makeStorage(name: string, dir: string): void {
  try {
    makePrivateFolder(dir)
  } catch (error) {
    const { message } = error as Error
    throw new StartupError(`The folder ${dir} of the storage "${name}" cannot be created: ${message}.`)
  }
}

/**
 * Removes the permissions of other users from existing folders, and returns a warning for each folder where that failed.
 * Call it under the lock, because another instance may use the folders.
 */
function closeFolders(dataDir: string, storages: readonly string[]): string[] {
  const warnings = [
    closeToOtherUsers(dataDir, isDataDirName),
    ...storages.map((dir) => closeToOtherUsers(dir, (name) => /^[@.]/.test(name))),
  ]
  return warnings.filter((sentence) => sentence !== undefined)
}

async function findGit(options: StartOptions) {
  try {
    return await discoverGit({ setting: options.gitPath ?? null, bundled: options.bundledGitPath ?? null })
  } catch (error) {
    if (error instanceof GitNotFoundError) throw new StartupError(error.message, 1, 'git')
    throw error
  }
}

/**
 * Starts an instance and resolves when it accepts requests. Throws `StartupError` with one plain sentence when it
 * cannot: the data folder or port is in use, git is missing or too old, the database is newer or unreadable.
 */
export async function startServer(options: StartOptions): Promise<Instance> {
  const paths = makeFolders(options.dataDir)
  const lock = lockDataDir(options.dataDir)
  const undo: (() => void | Promise<void>)[] = [() => lock.release()]
  const close = async (): Promise<void> => {
    const errors: unknown[] = []
    // Every step runs even if an earlier one fails; at least the lock must be released.
    for (const step of undo.splice(0).reverse()) {
      try {
        await step()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
  try {
    useMoreFileThreads()
    const foundGit = await findGit(options)
    // The port is opened before the database, so that a used port changes nothing on disk.
    const listener = await openListener({
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 7080,
      limits: options.connections,
      files: certificateFiles(options.tlsCert, options.tlsKey),
      url: publicUrl(options),
      copy: paths.ownCertificate,
      clock: options.clock ?? systemClock,
    })
    undo.push(() => listener.stop())
    lock.setAddress(listener.url)
    // A restored backup replaces the data before anything is opened, and a failed start restores the previous data.
    if (ports.restore.begin(options.dataDir)) undo.splice(1, 0, () => ports.restore.undo(options.dataDir))
    ports.finishSnapshot(options.dataDir)
    finishRotation(paths)
    const ssh = await openSsh(options, paths.ssh)
    if (ssh) undo.push(() => ssh.close())
    return await assemble({ options, paths, listener, ssh, foundGit, undo, close })
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

/** Loads the SSH server only when it is used. */
async function openSsh({ sshPort, host }: StartOptions, keyFolder: string): Promise<SshListener | undefined> {
  if (sshPort === undefined) return undefined
  const { listenForSsh } = await import('./ssh/server.ts')
  return listenForSsh({ host: host ?? '127.0.0.1', port: sshPort, keyFolder })
}

interface Assembly {
  options: StartOptions
  paths: ReturnType<typeof dataPaths>
  listener: Listener
  ssh: SshListener | undefined
  foundGit: { binary: string; version: string }
  undo: (() => void | Promise<void>)[]
  close: () => Promise<void>
}

/** Creates and connects all parts of the instance. */
async function assemble(parts: Assembly): Promise<Instance> {
  const { options, paths, listener, ssh, foundGit, undo, close } = parts
  const clock = new MovableClock(options.clock ?? systemClock)
  if (options.startAt !== undefined) startClockAt(clock, options.startAt)
  const stored = () => db.stored()
  const removals = new Gate(stored)
  const config = configOf(options, listener, { sshPort: ssh?.port, gitVersion: foundGit.version, removals })
  const log = openLog(paths.logs, options.logLevel ?? 'info')
  undo.push(() => log.flush())
  for (const [name, dir] of Object.entries(config.storages)) makeStorage(name, dir)
  const folderWarnings = closeFolders(options.dataDir, Object.values(config.storages))
  const isDiskFull = useReserve(paths.reserve)
  const db = openDatabase({
    file: paths.database,
    backupDir: paths.backups,
    repositories: paths.repositories,
    empty: options.assetsDir === undefined ? undefined : join(options.assetsDir, EMPTY_DATABASE),
    temporary: options.temporary ?? false,
    log,
  })
  undo.push(() => db.close())
  for (const warning of folderWarnings) log.warn(warning)
  if (isDiskFull) log.error('the disk is full; the instance uses its reserve')
  else if (!options.temporary) keepReserve(paths.reserve, options.dataDir)
  emptyFolder(paths.tmp)
  makePrivateFolder(paths.repositories)
  const now = cachedTime(clock)
  const settings = () => ports.settings(db, now())
  const git = createGit({
    binary: foundGit.binary,
    home: join(paths.git, 'home'),
    tmp: paths.tmp,
    stored,
    ...(foundGit.binary === options.bundledGitPath
      ? { environment: bundledEnvironment(foundGit.binary) }
      : {}),
    ...(options.spawner ? { spawner: options.spawner } : {}),
    limitOf: (operation) => timeLimitOf(operation, settings().gitTimeLimits),
    config: () => gitTrust(config.ownCertificate),
    observe: (operation) => {
      log[operation.slow ? 'warn' : 'debug'](operation, 'git')
      db.observation.observer?.git(operation)
    },
  })
  undo.push(() => git.close())
  undo.push(listener.follow(log))
  await sweepRepositories(git, log)
  const outbound = new Outbound((purpose) => settings().outbound(purpose, config), config.ownCertificate)
  undo.push(() => outbound.close())
  const bookkeeping = new Bookkeeping((work) =>
    db.transaction(() => work((sql, ...parameters) => db.exec(sql, ...parameters))),
  )
  undo.push(() => {
    try {
      bookkeeping.flush()
    } catch (error) {
      // No request waits for these rows, so a full disk does not make the stop fail.
      if (!storageProblem(error)) throw error
      log.warn({ err: error }, 'the last use of tokens could not be stored')
    }
  })
  const events = new EventBus(domains.flatMap((domain) => domain.subscribers))
  const shared = {
    db,
    git,
    log,
    config,
    random: options.random ?? systemRandom,
    secrets: new Secrets(paths.secretKey),
    attempts: new Attempts(),
    events,
    outbound,
    bookkeeping,
    clock,
    signal: stopSignal(db),
  }
  const contextFor = (actor: Actor, client?: Client): Ctx => ({
    ...shared,
    git: client ? forClient(git, client) : git,
    actor,
    now: now(),
    cause: null,
  })
  const jobs = domains.flatMap((domain) => domain.jobs)
  const backgroundGit = inBackground(git)
  const runner = new JobRunner(
    () => ({ ...contextFor(system), git: backgroundGit }),
    clock,
    jobs,
    domains.flatMap((domain) => domain.crons),
    Object.assign({}, ...domains.map((domain) => domain.subjects ?? {})) as Record<string, string>,
  )
  events.wakeJobRunner = () => runner.wakeSoon()
  db.instance('jobs.runner', () => runner)
  localCallsHolder(db).calls = new EndpointCalls(endpoints, () => settings().presented)
  undo.push(() => runner.stop(STOP_GRACE_MS))
  const firstUser = { password: options.rootPassword, token: options.rootToken }
  for (const { prepare } of domains) await prepare?.(contextFor(system), firstUser)
  for (const { recover } of domains) await recover?.refs?.(contextFor(system))
  commitRestore(parts, log)
  for (const { recover } of domains) await recover?.rest?.(contextFor(system))
  await runner.resume()
  const app = createApp({
    endpoints,
    webRoutes: webRoutesOf(domains),
    contextFor,
    authenticate: ports.authenticate,
    cookieAccess: ports.cookieAccess,
    anonymous,
    mayReceive,
    throttles: () => ports.throttles(db, now()),
    checkWrite: ports.checkWrite,
    homePage: () => ports.homePage(contextFor(system)),
    presented: () => settings().presented,
    pollInterval: () => {
      const { pollFactor } = settings()
      return pollFactor === 0 ? -1 : Math.round(POLL_MS * pollFactor)
    },
    page: () => ({
      headers: settings().pageHeaders,
      pictures: ports.pictureOrigins(db, now()),
    }),
    bodyLimits: () => ({ maxFileBytes: settings().maxFileBytes, tmpDir: paths.tmp }),
    checks: { db: () => (db.answers() ? undefined : 'The database does not answer.') },
  })
  listener.handle(app.callback())
  undo.push(() => listener.stop())
  const targets = domains.flatMap((domain) => domain.gitTargets ?? [])
  ssh?.open(ports.ssh(contextFor, targets))
  undo.push(() => ssh?.close())
  runner.start()
  for (const { open, stop } of domains) {
    if (stop) undo.push(() => stop(contextFor(system)))
    if (open) undo.push(open({ context: () => contextFor(system), gitBinary: foundGit.binary }))
  }
  // A stop runs this step first, so that long work ends during the other steps.
  undo.push(() => stopRuns(db))
  log.info({ url: config.url, version: config.version, git: foundGit.version }, 'ready')
  return {
    url: config.url,
    ownerSession: () => ports.ownerSession(contextFor(system)),
    clone: ({ path, ...remote }) => cloneToFolder(git, { ...remote, address: '127.0.0.1' }, path),
    runningWork: () => runningWork(ports, contextFor(system)),
    failedPipelines: () => ports.failedPipelines(contextFor(system)),
    builtInRunner: {
      isPaused: () => ports.builtInRunner.isPaused(contextFor(system)),
      setPaused: (paused) => ports.builtInRunner.setPaused(contextFor(system), paused),
    },
    wakeUp: () => {
      runner.wake()
      events.endWatchers()
    },
    drain: () => runner.drain(),
    context: () => contextFor(system),
    restartRequested: config.restart.requested,
    close,
  }
}

function runningWork({ runningJobs, runningImports, runningPushes }: Ports, ctx: Ctx): RunningWork[] {
  const all = { job: runningJobs(ctx), import: runningImports(ctx), push: runningPushes(ctx) }
  return (['job', 'import', 'push'] as const).flatMap((kind) => all[kind].map((name) => ({ kind, name })))
}

/** Freezes the clock at a time of the start options. */
function startClockAt(clock: MovableClock, time: string): void {
  const ms = Date.parse(time)
  if (!/^\d{4}-\d{2}-\d{2}/.test(time) || Number.isNaN(ms))
    throw new StartupError(`The time must be like 2026-01-31T08:00:00Z, not "${time}".`)
  clock.freeze()
  clock.moveTo(ms)
}

/** Keeps the data of a restored backup: from now on, a failed start no longer restores the previous data. */
function commitRestore({ options }: Assembly, log: Logger): void {
  const backup = ports.restore.commit(options.dataDir)
  if (backup) log.info(backup, 'a backup was restored')
}

/** Returns the current time as text. The text is cached, because many requests come in the same millisecond. */
function cachedTime(clock: Clock): () => string {
  let last = NaN
  let text = ''
  return () => {
    const ms = clock.now()
    if (ms !== last) [last, text] = [ms, isoTime(ms)]
    return text
  }
}
