import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { dataPaths } from './config.ts'
import { lockDataDir } from './db/lock.ts'
import { openDatabase } from './db/open.ts'
import { defaultDataDir } from './data-dir.ts'
import { backupCommand, listCommand, restoreCommand, verifyCommand } from './domains/backups/index.ts'
import { domains } from './domains.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { generate } from './gen.ts'
import { rotateKeyCommand } from './key-rotation.ts'
import { makeFilesPrivate } from './lib/files/private-folder.ts'
import { openLog } from './lib/log.ts'
import { isLoopback } from './lib/net/loopback.ts'
import { DEFAULT_VERSION, StartupError, startServer, type Instance, type StartOptions } from './index.ts'

const USAGE = `Usage: deskforge <command> [options]

  serve     run the instance without a window
              --data-dir DIR   folder of everything it keeps (DESKFORGE_DATA_DIR)
              --port N         default 7080, 0 for any free port (DESKFORGE_PORT)
              --ssh-port N     serve git over SSH too, 0 for any free port (DESKFORGE_SSH_PORT)
              --host H         default 127.0.0.1 (DESKFORGE_HOST)
              --tls-cert FILE  speak HTTPS with this certificate, PEM, followed by intermediate certificates (DESKFORGE_TLS_CERT)
              --tls-key FILE   its private key, PEM; both are read again when they change (DESKFORGE_TLS_KEY)
              --url URL        the public address, behind a proxy (DESKFORGE_URL)
              --trusted-proxy CIDR  trusted proxies (X-Forwarded-For, -Proto and -Host), such as
                               10.0.0.0/8,192.0.2.7; may be repeated (DESKFORGE_TRUSTED_PROXIES)
              --storage NAME=DIR  a further folder for repositories; may be repeated (DESKFORGE_STORAGES)
  routes    print every endpoint: method, path, ability, answer
              --events         print which events lead to which subscribers instead
  migrate   bring the database of a data folder up to date and exit
  rotate-key  give a stopped instance a new key and seal everything with it
              --data-dir DIR   as for serve
  backup    write everything an instance keeps into one file, also while it runs
              --data-dir DIR   as for serve
              --to FILE        file or folder; default DIR/backups
              --passphrase-file F  seal it with the first line of F
              --list           print the backups of the data folder instead
              --verify FILE    read a backup from beginning to end instead
            The file holds keys and secrets: whoever has it can act as anybody there.
  restore FILE  replace a stopped instance by a backup
              --data-dir DIR   an empty folder
              --force          the folder may have content, which is moved to DIR.before-restore-<time>
              --storage NAME=DIR   folder of a further storage; default in DIR/storages
              --passphrase-file F  for a sealed backup
  doctor    examine a data folder: lock, database, keys, permissions, repositories, files, jobs
              --data-dir DIR   as for serve
              --storage NAME=DIR   as for serve
              --deep           also read every object of the repositories
              --repair         remove stale locks and other users' permissions; the instance must be stopped
              --json           print JSON
            Exit code: 0 without findings, 1 with findings, 2 when the folder cannot be examined.
`

const here = dirname(fileURLToPath(import.meta.url))

const OPTIONS = {
  'data-dir': { type: 'string' },
  port: { type: 'string' },
  'ssh-port': { type: 'string' },
  host: { type: 'string' },
  storage: { type: 'string', multiple: true },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  url: { type: 'string' },
  'trusted-proxy': { type: 'string', multiple: true },
  events: { type: 'boolean' },
  to: { type: 'string' },
  'passphrase-file': { type: 'string' },
  list: { type: 'boolean' },
  verify: { type: 'string' },
  force: { type: 'boolean' },
  deep: { type: 'boolean' },
  repair: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Flags = { [Name in Exclude<keyof typeof OPTIONS, 'storage' | 'trusted-proxy'>]?: string | boolean } & {
  storage?: string[]
  'trusted-proxy'?: string[]
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new StartupError(`The port must be a number from 0 to 65535, not "${text}".`)
  return port
}

function isOn(text: string): boolean {
  return !/^(0|false|no|off)$/i.test(text.trim())
}

function startOptions(flags: Flags): StartOptions {
  const { env } = process
  const given = (flag: keyof typeof flags, variable: string): string | undefined =>
    (flags[flag] as string | undefined) ?? env[variable]
  const port = portOf(given('port', 'DESKFORGE_PORT'))
  const sshPort = portOf(given('ssh-port', 'DESKFORGE_SSH_PORT'))
  const host = given('host', 'DESKFORGE_HOST')
  const url = given('url', 'DESKFORGE_URL')
  const tlsCert = given('tls-cert', 'DESKFORGE_TLS_CERT')
  const tlsKey = given('tls-key', 'DESKFORGE_TLS_KEY')
  const rendererDir = join(here, '..', 'renderer')
  return {
    dataDir: resolve(
      (flags['data-dir'] as string | undefined) || env['DESKFORGE_DATA_DIR'] || defaultDataDir(),
    ),
    ...(port === undefined ? {} : { port }),
    ...(sshPort === undefined ? {} : { sshPort }),
    ...(host ? { host } : {}),
    ...(env['DESKFORGE_ROOT_PASSWORD'] ? { rootPassword: env['DESKFORGE_ROOT_PASSWORD'] } : {}),
    ...(env['DESKFORGE_ROOT_TOKEN'] ? { rootToken: env['DESKFORGE_ROOT_TOKEN'] } : {}),
    ...(env['DESKFORGE_GIT'] ? { gitPath: env['DESKFORGE_GIT'] } : {}),
    ...(env['DESKFORGE_LOG_LEVEL'] ? { logLevel: env['DESKFORGE_LOG_LEVEL'] } : {}),
    ...(env['DESKFORGE_VERSION'] ? { version: env['DESKFORGE_VERSION'] } : {}),
    ...(env['DESKFORGE_IMPERSONATION'] ? { impersonation: isOn(env['DESKFORGE_IMPERSONATION']) } : {}),
    ...(url ? { url } : {}),
    ...(tlsCert ? { tlsCert: resolve(tlsCert) } : {}),
    ...(tlsKey ? { tlsKey: resolve(tlsKey) } : {}),
    trustedProxies: [env['DESKFORGE_TRUSTED_PROXIES'] ?? '', ...(flags['trusted-proxy'] ?? [])]
      .flatMap((one) => one.split(','))
      .map((one) => one.trim())
      .filter((one) => one !== ''),
    allowedHosts: (env['DESKFORGE_ALLOWED_HOSTS'] ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
    ...(existsSync(rendererDir) ? { rendererDir } : {}),
    vendorHosts: vendorHosts(env['DESKFORGE_VENDOR_HOSTS'] ?? ''),
    storages: storages(flags.storage ?? [], env['DESKFORGE_STORAGES'] ?? ''),
    assetsDir: join(here, 'assets'),
  }
}

/**
 * Parses `--storage fast=/mnt/ssd/repositories`, which may be repeated, and `DESKFORGE_STORAGES=fast=/mnt/ssd,
 * big=/mnt/disk`.
 */
function storages(flags: readonly string[], text: string): Record<string, string> {
  const given = [...text.split(','), ...flags].map((one) => one.trim()).filter((one) => one !== '')
  const pairs = given.map((one): [string, string] => {
    const at = one.indexOf('=')
    const [name, dir] = [one.slice(0, Math.max(at, 0)).trim(), one.slice(at + 1).trim()]
    if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name) || name === 'default' || dir === '')
      throw new StartupError(`"${one}" is not a name, "=" and a folder.`)
    return [name, resolve(dir)]
  })
  return Object.fromEntries(pairs)
}

/** Parses `api.pushover.net=https://gateway.example.com/pushover, …`. */
function vendorHosts(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((one): [string, string][] => {
    const [host = '', url = ''] = one.split('=', 2).map((part) => part.trim())
    if (host === '' && url === '') return []
    if (!URL.canParse(url)) throw new StartupError(`"${one.trim()}" is not a host, "=" and an address.`)
    return [[host, url]]
  })
  return Object.fromEntries(pairs)
}

async function serve(flags: Flags): Promise<void> {
  // Set before the instance is announced, so that no signal is missed.
  let stop = (): void => undefined
  const stopRequested = new Promise<void>((resolve) => (stop = resolve))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  let instance = await startServer(startOptions(flags))
  printReady(instance)
  while (await Promise.race([stopRequested.then(() => false), instance.restartAsked.then(() => true)])) {
    instance = await restartServer(instance, startOptions(flags))
    printReady(instance)
  }
  // The process ends within the five seconds of the start contract, even when something hangs.
  setTimeout(() => process.exit(0), 4500).unref()
  await instance.close()
  process.exit(0)
}

function printReady(instance: Instance): void {
  process.stdout.write(`Deskforge is ready at ${instance.url}\n`)
  const { sshPort, host, trustedProxies, ownCertificate } = instance.context().config
  if (!isLoopback(host) && host !== 'localhost' && trustedProxies.length === 0 && !ownCertificate)
    process.stderr.write(
      `Warning: ${host} can be reached by other machines, and passwords cross the network readable. ` +
        'Name a certificate with --tls-cert and --tls-key, ' +
        'or put a proxy that speaks HTTPS in front and name it with --trusted-proxy.\n',
    )
  if (ownCertificate?.warning) process.stderr.write(`Warning: ${ownCertificate.warning}\n`)
  if (sshPort !== undefined)
    process.stdout.write(`Git over SSH: ssh://git@${new URL(instance.url).hostname}:${sshPort}/\n`)
}

/**
 * Starts the instance again at the same address, which puts a restored backup into use. When that fails, the second
 * attempt starts with the previous data.
 */
async function restartServer(instance: Instance, options: StartOptions): Promise<Instance> {
  const { port, sshPort } = instance.context().config
  const again = { ...options, port, ...(sshPort === undefined ? {} : { sshPort }) }
  await instance.close()
  try {
    return await startServer(again)
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    return startServer(again)
  }
}

function commonOf(flags: Flags) {
  const { dataDir, storages = {}, version = DEFAULT_VERSION } = startOptions(flags)
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const textOf = (name: 'to' | 'passphrase-file' | 'verify') => flags[name] as string | undefined
  return { dataDir, storages, version, say, to: textOf('to'), passphraseFile: textOf('passphrase-file') }
}

function backUp(flags: Flags): Promise<void> {
  const common = commonOf(flags)
  if (flags.list) return listCommand(common)
  if (flags.verify) return verifyCommand({ ...common, file: flags.verify as string })
  return backupCommand(common)
}

function restore(flags: Flags, file: string | undefined): Promise<void> {
  if (file === undefined) throw new StartupError('Which backup? deskforge restore FILE')
  return restoreCommand({ ...commonOf(flags), file, force: flags.force === true })
}

function printRoutes(flags: Flags): void {
  if (flags.events) {
    for (const { event, name } of domains.flatMap((one) => one.subscribers))
      process.stdout.write(`${event.padEnd(32)} ${name}\n`)
    return
  }
  const endpoints = domains
    .flatMap((one) => one.endpoints)
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.method < b.method ? -1 : 1))
  for (const one of endpoints) {
    const ability = typeof one.can === 'string' ? one.can : one.can.name
    process.stdout.write(
      `${one.method.padEnd(7)}${one.path.padEnd(64)} ${ability.padEnd(24)} ${one.returns.entity?.name ?? one.returns.kind}\n`,
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

async function examine(flags: Flags): Promise<void> {
  const { dataDir, storages = {}, gitPath } = startOptions(flags)
  const { repair, deep, json } = {
    repair: flags.repair === true,
    deep: flags.deep === true,
    json: flags.json === true,
  }
  const { say } = commonOf(flags)
  process.exitCode = await doctorCommand({ dataDir, storages, repair, deep, json, gitPath, say })
}

async function runArguments(): Promise<void> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [command, ...rest] = positionals
  if (values.help || command === undefined) {
    process.stdout.write(USAGE)
    return
  }
  const file = command === 'restore' ? rest.shift() : undefined
  if (rest.length > 0) throw new StartupError(`"${rest[0]}" is not understood; see --help.`)
  if (command === 'serve') return serve(values)
  if (command === 'restore') return restore(values, file)
  if (command === 'backup') return backUp(values)
  if (command === 'routes') return printRoutes(values)
  if (command === 'migrate') return migrateOnly(values)
  if (command === 'rotate-key') return rotateKeyCommand(startOptions(values).dataDir)
  if (command === 'doctor') return examine(values)
  // For developers (`npm run gen`): rewrites the generated files of the source tree.
  if (command === 'gen') return generate(process.cwd())
  throw new StartupError(`There is no command "${command}"; see --help.`)
}

/** One sentence for the user, without a stack trace. */
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
