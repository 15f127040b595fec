import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { collect } from '../files/collect.ts'
import { zipOf } from '../files/pack.ts'
import { unpack } from '../../../../lib/archive/zip-unpack.ts'
import type { JobPayload, PayloadStep, CacheEntry } from '../payload.ts'
import { downloadArtifacts, hasFiles, matchesResult, uploadArtifacts } from './artifacts.ts'
import { RunProblem, type RunContext, sourceCommands } from './sources.ts'
import { addPrograms, writeScript, type Workspace } from './workspace.ts'
import type { Machine } from './run-job.ts'
import { quietScriptOf, scriptOf, runScript } from './shell.ts'
import { section, type Trace } from './trace.ts'
import { variablesOf } from './variables.ts'

const pulls = ({ policy }: CacheEntry): boolean => policy !== 'push'
const pushes = ({ policy }: CacheEntry): boolean => policy !== 'pull'

/** The caches to restore before the job. */
const cachesToRestore = (entries: readonly CacheEntry[] | null): CacheEntry[] => (entries ?? []).filter(pulls)

/** The caches to save after a job with this result. */
const cachesToSave = (entries: readonly CacheEntry[] | null, isSuccess: boolean): CacheEntry[] =>
  (entries ?? []).filter((entry) => pushes(entry) && matchesResult(entry.when, isSuccess))

/** Restores the cache with this key, or with the first existing fallback key. A missing cache is not an error. */
async function restoreCache(run: RunContext, entry: CacheEntry, now: Date): Promise<void> {
  const { trace, variables } = run
  const global = variables.get('CACHE_FALLBACK_KEY')
  const keys = [entry.key, ...(entry.fallback_keys ?? []), ...(global ? [global] : [])]
  for (const key of keys.map((text) => variables.expand(text))) {
    trace.write(`\x1b[32;1mChecking cache for ${key}...\x1b[0;m\n`)
    const archive = fileOf(run, key)
    try {
      if (!(await stat(archive).catch(() => undefined))) continue
      await unpack(archive, run.workspace.project)
      await utimes(archive, now, now)
      trace.write('\x1b[32;1mSuccessfully extracted cache\x1b[0;m\n')
      return
    } catch (error) {
      trace.write(`\x1b[0;33mWARNING: ${(error as Error).message}\x1b[0;m\n`)
    }
  }
  trace.write('No cache was found.\n')
}

/** Saves files of a project as the cache with this key. */
async function storeCache(run: RunContext, entry: CacheEntry): Promise<void> {
  const { trace, variables, workspace, payload } = run
  const key = variables.expand(entry.key)
  trace.write(`\x1b[32;1mCreating cache ${key}...\x1b[0;m\n`)
  const paths = entry.paths.map((path) => variables.expand(path))
  const { files, notes } = await collect(workspace.project, { paths, untracked: entry.untracked }, run.env)
  trace.write(notes.map((note) => `${note} \n`).join(''))
  if (files.length === 0) return
  const archive = fileOf(run, key)
  const effort = variables.get('CACHE_COMPRESSION_LEVEL') ?? 'fastest'
  const partial = `${archive}.${payload.id}.part`
  await mkdir(run.caches, { recursive: true, mode: 0o700 })
  try {
    await pipeline(zipOf(workspace.project, files, effort), createWriteStream(partial), {
      signal: run.signal,
    })
    await rename(partial, archive)
    trace.write('\x1b[32;1mCreated cache\x1b[0;m\n')
  } catch (error) {
    await rm(partial, { force: true })
    trace.write(`\x1b[0;33mWARNING: ${(error as Error).message}\x1b[0;m\n`)
  }
}

function fileOf({ caches }: RunContext, key: string): string {
  return join(caches, `${createHash('sha256').update(key).digest('hex')}.zip`)
}

/** The time limit for `after_script` in milliseconds. */
const AFTER_MS = 300_000

interface Run {
  readonly slot: number
  readonly trace: Trace
  readonly signal: AbortSignal
  readonly workspace: Workspace
}

/** Runs the stages of a job in the order of its log sections (spec ci 1.18). Returns the exit code of its commands. */
export async function runStages(machine: Machine, payload: JobPayload, run: Run): Promise<number> {
  const context = await makeContext(machine, payload, run)
  const { trace, signal } = run
  const seconds = (): number => Math.floor(machine.now().getTime() / 1000)
  const runSection: RunSection = (name, title, work) =>
    signal.aborted ? Promise.resolve(undefined) : section({ trace, seconds }, name, title, work)
  trace.write(`\x1b[0KRunning with the ${machine.about.name} ${machine.about.version}\n`)
  await runSection('prepare_executor', 'Preparing the "shell" executor', async () =>
    trace.write(`Using ${machine.shell}...\n`),
  )
  await runSection('get_sources', 'Getting source from Git repository', () => getSources(context))
  const caches = cachesToRestore(payload.cache)
  if (caches.length > 0)
    await runSection('restore_cache', 'Restoring cache', async () => {
      for (const entry of caches) await restoreCache(context, entry, machine.now())
    })
  if (payload.dependencies.some(hasFiles))
    await runSection('download_artifacts', 'Downloading artifacts', () => downloadArtifacts(context))
  const title = 'Executing "step_script" stage of the job script'
  const code = (await runSection('step_script', title, () => runSteps(context))) ?? 1
  try {
    await runFinalStages(context, code, runSection)
  } catch (error) {
    // The result of the commands takes precedence over a failed upload.
    if (code === 0 || signal.aborted) throw error
    trace.write(`\x1b[0;33mWARNING: ${(error as Error).message}\x1b[0;m\n`)
  }
  return code
}

/** Runs work in a section of the log, unless the job was stopped. */
type RunSection = <T>(name: string, title: string, work: () => Promise<T>) => Promise<T | undefined>

/** Runs the stages that follow the commands, whether these succeeded or failed. */
async function runFinalStages(run: RunContext, code: number, runSection: RunSection): Promise<void> {
  const { payload } = run
  const isSuccess = code === 0
  const after = payload.steps.find((step) => step.name === 'after_script')
  if (after)
    await runSection('after_script', 'Running after_script', () => runAfterScript(run, after, isSuccess))
  const caches = cachesToSave(payload.cache, isSuccess)
  const suffix = isSuccess ? '' : '_on_failure'
  if (caches.length > 0)
    await runSection(
      `archive_cache${suffix}`,
      `Saving cache for ${isSuccess ? 'successful' : 'failed'} job`,
      async () => {
        for (const entry of caches) await storeCache(run, entry)
      },
    )
  if ((payload.artifacts ?? []).some((entry) => matchesResult(entry.when, isSuccess)))
    await runSection(
      `upload_artifacts_on_${isSuccess ? 'success' : 'failure'}`,
      `Uploading artifacts for ${isSuccess ? 'successful' : 'failed'} job`,
      () => uploadArtifacts(run, isSuccess),
    )
}

async function makeContext(machine: Machine, payload: JobPayload, run: Run): Promise<RunContext> {
  const { workspace, trace, signal, slot } = run
  const { client, shell, about, certificate } = machine
  const variables = await variablesOf(payload, workspace, {
    CI_BUILDS_DIR: machine.builds,
    CI_PROJECT_DIR: workspace.project,
    CI_CONCURRENT_ID: String(slot),
    CI_CONCURRENT_PROJECT_ID: String(slot),
    CI_SHARED_ENVIRONMENT: 'true',
    CI_RUNNER_VERSION: about.version,
    CI_RUNNER_REVISION: about.revision,
    CI_RUNNER_EXECUTABLE_ARCH: `${about.platform}/${about.architecture}`,
    CI_JOB_STATUS: 'running',
    CI_JOB_TIMEOUT: String(payload.runner_info.timeout),
    ...certificateVariables(machine, payload),
  })
  const programs = await addPrograms(workspace, client.address, certificate?.file)
  const env = variables.environment({
    ...machine.env,
    PATH: [machine.env['PATH'] ?? '', programs].join(delimiter),
    HOME: workspace.home,
    TMPDIR: workspace.tmp,
    GIT_TERMINAL_PROMPT: '0',
  })
  const caches = join(machine.caches, String(payload.job_info.project_id))
  return { client, certificate, payload, workspace, variables, trace, shell, caches, env, signal }
}

/** The variable with the certificate of the instance, which programs of a job need if they connect to it directly. */
function certificateVariables({ certificate }: Machine, { variables }: JobPayload): Record<string, string> {
  const server = variables.find(({ key }) => key === 'CI_SERVER_URL')?.value
  return certificate && server && certificate.origins.includes(server)
    ? { CI_SERVER_TLS_CA_FILE: certificate.file }
    : {}
}

/** Whether the job runs with `CI_DEBUG_TRACE`. Its log then shows every command and may contain secrets (spec ci 2.13). */
function isTraced({ variables }: RunContext): boolean {
  return variables.get('CI_DEBUG_TRACE') === 'true'
}

function runFile(
  run: RunContext,
  file: string,
  extraEnv: Record<string, string> = {},
  signal = run.signal,
): Promise<number> {
  const { shell, workspace, trace } = run
  const env = { ...run.env, ...extraEnv }
  return runScript({
    shell,
    file,
    folder: workspace.project,
    env,
    signal,
    onOutput: (bytes) => trace.write(bytes),
  })
}

async function getSources(run: RunContext): Promise<void> {
  const { payload, workspace, shell } = run
  const hook = (name: string): readonly string[] =>
    payload.hooks?.find((entry) => entry.name === name)?.script ?? []
  const scripts = [
    ['pre_get_sources_script', scriptOf(shell, hook('pre_get_sources_script'))],
    ['get_sources', quietScriptOf(shell, await sourceCommands(run))],
    ['post_get_sources_script', scriptOf(shell, hook('post_get_sources_script'))],
  ] as const
  for (const [name, text] of scripts) {
    if (name !== 'get_sources' && hook(name).length === 0) continue
    const code = await runFile(run, await writeScript(workspace, name, text))
    if (code !== 0) throw new RunProblem(`the code could not be fetched: exit code ${code}`)
  }
}

/** Runs the job's own commands, and the steps that follow on success, such as `release`. Returns the exit code. */
async function runSteps(run: RunContext): Promise<number> {
  for (const step of run.payload.steps.filter((entry) => entry.name !== 'after_script')) {
    const file = await writeScript(
      run.workspace,
      `step_${step.name}`,
      scriptOf(run.shell, step.script, isTraced(run)),
    )
    const code = await runFile(run, file)
    if (code !== 0) return code
  }
  return 0
}

async function runAfterScript(run: RunContext, step: PayloadStep, isSuccess: boolean): Promise<void> {
  run.trace.write('\x1b[32;1mRunning after script...\x1b[0;m\n')
  const file = await writeScript(
    run.workspace,
    'after_script',
    scriptOf(run.shell, step.script, isTraced(run)),
  )
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(AFTER_MS)])
  const code = await runFile(run, file, { CI_JOB_STATUS: isSuccess ? 'success' : 'failed' }, signal)
  if (code !== 0)
    run.trace.write(
      `\x1b[0;33mWARNING: after_script failed, but job will continue unaffected: exit code ${code}\x1b[0;m\n`,
    )
}
