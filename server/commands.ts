// First, because the other modules of this file already produce garbage.
import './small-memory.ts'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { dataPaths } from './config.ts'
import { lockDataDir } from './db/lock.ts'
import { EMPTY_DATABASE, openDatabase } from './db/open.ts'
import { backupCommand, listCommand, restoreCommand, verifyCommand } from './domains/backups/index.ts'
import { applyAtStart, clockCommand, snapshotCommand, worldCommand } from './domains/workbench/index.ts'
import { endpointsOf } from './domain.ts'
import { domains } from './domains.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { ephemeral, whenParentIsGone, type Ephemeral } from './ephemeral.ts'
import { OPTIONS, startOptions, type Flags } from './flags.ts'
import { generate } from './gen.ts'
import { rotateKeyCommand } from './key-rotation.ts'
import { makeFilesPrivate } from './lib/files/private-folder.ts'
import { openLog } from './lib/log.ts'
import { isLoopback } from './lib/net/peer.ts'
import { DEFAULT_VERSION, StartupError, startServer, type Instance, type StartOptions } from './index.ts'

const USAGE = `Usage: deskforge <command> [options]

  serve     run the instance without a window
              --data-dir DIR   the data folder (DESKFORGE_DATA_DIR)
              --port N         default 7080, 0 for any free port (DESKFORGE_PORT)
              --ssh-port N     serve git over SSH too, 0 for any free port (DESKFORGE_SSH_PORT)
              --host H         default 127.0.0.1 (DESKFORGE_HOST)
              --tls-cert FILE  serve HTTPS with this certificate, PEM, followed by intermediate certificates (DESKFORGE_TLS_CERT)
              --tls-key FILE   its private key, PEM; both are read again when they change (DESKFORGE_TLS_KEY)
              --url URL        the public address, behind a proxy (DESKFORGE_URL)
              --trusted-proxy CIDR  trusted proxies (X-Forwarded-For, -Proto and -Host), such as
                               10.0.0.0/8,192.0.2.7; may be repeated (DESKFORGE_TRUSTED_PROXIES)
              --storage NAME=DIR  an additional folder for repositories; may be repeated (DESKFORGE_STORAGES)
              --ephemeral      for tests: everything in a temporary folder, on any free port; prints {url, token, pid}
                               as one line of JSON, and ends with the process that started it
                               (DESKFORGE_EPHEMERAL_DIR; default a disk in memory with 1 GB free, or the temporary folder)
              --clock TIME     freeze the clock at this time
              --world FILE     apply a world, from a file or by the name of one that comes with Deskforge, before the
                               instance is ready
  clock     show the clock of a running instance, or: clock freeze [TIME] | set TIME | advance TIME or DURATION
            (such as 90 minutes) | run [--real]
  snapshot  of a running instance: snapshot save NAME [--replace] | restore NAME | list | delete NAME
  world     on a running instance: world apply FILE or NAME | check FILE or NAME | write [FILE] | list
              --json           print JSON, for apply, check and list
              --project PATH, --group PATH   for write: only this project, or this group with all below; may be repeated
              --url URL --token TOKEN   for these: the instance and an administrator's token (DESKFORGE_URL, DESKFORGE_TOKEN)
  routes    print every endpoint: method, path, ability, answer
              --events         print which events lead to which subscribers instead
  migrate   bring the database of a data folder up to date and exit
  rotate-key  create a new key for a stopped instance and seal all its secrets with it
              --data-dir DIR   as for serve
  backup    write the whole data folder of an instance into one file, also while it runs
              --data-dir DIR   as for serve
              --to FILE        file or folder; default DIR/backups
              --passphrase-file F  seal it with the first line of F
              --list           print the backups of the data folder instead
              --verify FILE    read a backup from beginning to end instead
            The file contains keys and secrets: with it, anybody can act as any user of the instance.
  restore FILE  replace a stopped instance with a backup
              --data-dir DIR   an empty folder
              --force          the folder may have content, which is moved to DIR.before-restore-<time>
              --storage NAME=DIR   folder of an additional storage; default in DIR/storages
              --passphrase-file F  for a sealed backup
  doctor    examine a data folder: lock, database, keys, permissions, repositories, files, jobs
              --data-dir DIR   as for serve
              --storage NAME=DIR   as for serve
              --deep           also read every object of the repositories
              --repair         remove stale locks and other users' permissions; the instance must be stopped
              --json           print JSON
            Exit code: 0 without findings, 1 with findings, 2 when the folder cannot be examined.
`

async function serve(flags: Flags): Promise<void> {
  // The handlers are set before the instance prints its address, so that no signal is missed.
  let stop = (): void => undefined
  const stopRequested = new Promise<void>((resolve) => (stop = resolve))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  const temporary = flags.ephemeral ? temporaryInstance(flags, stop) : undefined
  const options = temporary?.options ?? startOptions(flags)
  const announce = temporary ? printTemporary(temporary) : printReady
  let instance = await startServer(options)
  if (typeof flags.world === 'string') await applyWorld(instance, flags.world)
  announce(instance)
  while (await Promise.race([stopRequested.then(() => false), instance.restartRequested.then(() => true)])) {
    instance = await restartServer(instance, options)
    announce(instance)
  }
  // The process ends within the five seconds of the start contract, even when something hangs.
  setTimeout(() => process.exit(0), temporary ? TEMPORARY_STOP_MS : 4500).unref()
  await instance.close()
  process.exit(0)
}

/** Applies a world. Stops the instance when that fails. */
async function applyWorld(instance: Instance, file: string): Promise<void> {
  try {
    await applyAtStart(instance.context(), file)
  } catch (error) {
    await instance.close()
    throw error
  }
}

/** The time limit for stopping a temporary instance, in milliseconds. It is short, because the data is deleted anyway. */
const TEMPORARY_STOP_MS = 1500

/**
 * Runs an instance in a temporary folder. The folder is deleted when the process ends, and the process ends with its
 * parent.
 */
function temporaryInstance(flags: Flags, stop: () => void): Ephemeral & { ready(): void } {
  if (flags['data-dir'] !== undefined)
    throw new StartupError('A temporary instance creates its own folder; leave out --data-dir.')
  const temporary = ephemeral(startOptions(flags), process.env['DESKFORGE_EPHEMERAL_DIR'] || undefined)
  process.on('exit', temporary.remove)
  process.on('SIGHUP', stop)
  return { ...temporary, ready: whenParentIsGone(stop) }
}

/**
 * Prints the address and the credentials for the parent process, only at the first start, because a restart does not
 * change them.
 */
function printTemporary({
  token,
  ready,
}: ReturnType<typeof temporaryInstance>): (instance: Instance) => void {
  let isPrinted = false
  return ({ url }) => {
    ready()
    if (!isPrinted) process.stdout.write(`${JSON.stringify({ url, token, pid: process.pid })}\n`)
    isPrinted = true
  }
}

function printReady(instance: Instance): void {
  process.stdout.write(`Deskforge is ready at ${instance.url}\n`)
  const { sshPort, host, trustedProxies, ownCertificate } = instance.context().config
  if (!isLoopback(host) && host !== 'localhost' && trustedProxies.length === 0 && !ownCertificate)
    process.stderr.write(
      `Warning: ${host} can be reached by other machines, and passwords are sent unencrypted. ` +
        'Set a certificate with --tls-cert and --tls-key, ' +
        'or put an HTTPS proxy in front and set its address with --trusted-proxy.\n',
    )
  if (ownCertificate?.warning) process.stderr.write(`Warning: ${ownCertificate.warning}\n`)
  if (sshPort !== undefined)
    process.stdout.write(`Git over SSH: ssh://git@${new URL(instance.url).hostname}:${sshPort}/\n`)
}

/**
 * Starts the instance again at the same address, with the restored backup. When that fails, the second attempt starts
 * with the previous data.
 */
async function restartServer(instance: Instance, options: StartOptions): Promise<Instance> {
  const { port, sshPort } = instance.context().config
  const restartOptions = { ...options, port, ...(sshPort === undefined ? {} : { sshPort }) }
  await instance.close()
  try {
    return await startServer(restartOptions)
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    return startServer(restartOptions)
  }
}

function commonOptions(flags: Flags) {
  const { dataDir, storages = {}, version = DEFAULT_VERSION } = startOptions(flags)
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const textOf = (name: 'to' | 'passphrase-file' | 'verify') => flags[name] as string | undefined
  return { dataDir, storages, version, say, to: textOf('to'), passphraseFile: textOf('passphrase-file') }
}

function backUp(flags: Flags): Promise<void> {
  const common = commonOptions(flags)
  if (flags.list) return listCommand(common)
  if (flags.verify) return verifyCommand({ ...common, file: flags.verify as string })
  return backupCommand(common)
}

function restore(flags: Flags, file: string | undefined): Promise<void> {
  if (file === undefined) throw new StartupError('Name the backup: deskforge restore FILE')
  return restoreCommand({ ...commonOptions(flags), file, force: flags.force === true })
}

async function printRoutes(flags: Flags): Promise<void> {
  if (flags.events) {
    for (const { event, name } of domains.flatMap((domain) => domain.subscribers))
      process.stdout.write(`${event.padEnd(32)} ${name}\n`)
    return
  }
  const endpoints = (await endpointsOf(domains)).sort((a, b) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : a.method < b.method ? -1 : 1,
  )
  for (const endpoint of endpoints) {
    const ability = typeof endpoint.can === 'string' ? endpoint.can : endpoint.can.name
    process.stdout.write(
      `${endpoint.method.padEnd(7)}${endpoint.path.padEnd(64)} ${ability.padEnd(24)} ${endpoint.returns.entity?.name ?? endpoint.returns.kind}\n`,
    )
  }
}

function migrateOnly(flags: Flags): void {
  const { dataDir } = startOptions(flags)
  const { database: file, backups: backupDir, repositories } = dataPaths(dataDir)
  makeFilesPrivate()
  const lock = lockDataDir(dataDir)
  try {
    openDatabase({ file, backupDir, repositories, log: openLog('', 'silent') }).close()
  } finally {
    lock.release()
  }
  process.stdout.write('The database is up to date.\n')
}

function moveClock(flags: Flags, [action, ...rest]: readonly string[]): Promise<void> {
  const { say } = commonOptions(flags)
  const value = rest.length > 0 ? rest.join(' ') : undefined
  return clockCommand({ ...targetOf(flags), action, value, real: flags.real === true, print: say })
}

function useSnapshots(flags: Flags, [action, name, surplus]: readonly string[]): Promise<void> {
  if (surplus !== undefined) throw new StartupError(`"${surplus}" is not a known option; see --help.`)
  const { say } = commonOptions(flags)
  return snapshotCommand({ ...targetOf(flags), action, name, replace: flags.replace === true, print: say })
}

function useWorlds(flags: Flags, [action, file, surplus]: readonly string[]): Promise<void> {
  if (surplus !== undefined) throw new StartupError(`"${surplus}" is not a known option; see --help.`)
  const { say } = commonOptions(flags)
  const { project = [], group = [] } = flags
  const selection = { projects: project, groups: group }
  return worldCommand({
    ...targetOf(flags),
    action,
    file,
    selection,
    json: flags.json === true,
    print: say,
  })
}

/** The running instance that a command sends its requests to. */
function targetOf(flags: Flags) {
  const { env } = process
  return {
    url: (flags.url as string | undefined) ?? env['DESKFORGE_URL'] ?? 'http://127.0.0.1:7080',
    token: (flags.token as string | undefined) ?? env['DESKFORGE_TOKEN'],
  }
}

/** Creates the database that new instances start with. */
function makeEmptyDatabase(folder: string): void {
  const file = join(folder, EMPTY_DATABASE)
  openDatabase({ file, backupDir: folder, temporary: true, log: openLog('', 'silent') }).close()
}

async function examine(flags: Flags): Promise<void> {
  const { dataDir, storages = {}, gitPath } = startOptions(flags)
  const { repair, deep, json } = {
    repair: flags.repair === true,
    deep: flags.deep === true,
    json: flags.json === true,
  }
  const { say } = commonOptions(flags)
  process.exitCode = await doctorCommand({ dataDir, storages, repair, deep, json, gitPath, say })
}

async function runArguments(): Promise<void> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [command, ...rest] = positionals
  if (values.help || command === undefined) {
    process.stdout.write(USAGE)
    return
  }
  if (command === 'clock') return moveClock(values, rest)
  if (command === 'snapshot') return useSnapshots(values, rest)
  if (command === 'world') return useWorlds(values, rest)
  const file = command === 'restore' || command === 'empty-database' ? rest.shift() : undefined
  if (rest.length > 0) throw new StartupError(`"${rest[0]}" is not a known option; see --help.`)
  if (command === 'serve') return serve(values)
  if (command === 'restore') return restore(values, file)
  if (command === 'backup') return backUp(values)
  if (command === 'routes') return printRoutes(values)
  if (command === 'migrate') return migrateOnly(values)
  if (command === 'rotate-key') return rotateKeyCommand(startOptions(values).dataDir)
  if (command === 'doctor') return examine(values)
  // `npm run gen` calls it to rewrite the generated files of the source tree.
  if (command === 'gen') return generate(process.cwd())
  // The build calls it.
  if (command === 'empty-database' && file !== undefined) return makeEmptyDatabase(file)
  throw new StartupError(`There is no command "${command}"; see --help.`)
}

/** Converts an error to one sentence for the user, without a stack trace. */
function sentenceOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string }
  if (error instanceof StartupError) return message
  // The first sentence of Node's explanation is enough.
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${message.split(/\.(\s|$)/)[0]}; see --help.`
  return `Deskforge could not start: ${message.split('\n')[0]}`
}

/** Runs the command of the process arguments. On failure it prints one sentence and exits with an error code. */
export async function runCommand(): Promise<void> {
  try {
    await runArguments()
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    process.exit(error instanceof StartupError ? error.exitCode : 1)
  }
}
