import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import type { RunningInstance } from '../../../domain.ts'
import { RunnerChanged } from '../events.ts'
import { dropJob } from '../processing/run.ts'
import { runnerByToken } from '../runners/contact.ts'
import { runnerSettings, runningJobs } from '../runners/store.ts'
import { builtIn } from '../runners/store.ts'
import { InstanceClient } from './client.ts'
import { cleanUp, environment, findShell, folders, system } from './machine.ts'
import { Worker } from './worker.ts'

/** Holds the built-in runner of an instance. It is undefined until the instance is ready. */
const holderOf = (db: Database) =>
  db.instance('ci.built_in_runner', (): { runner?: BuiltInRunner | undefined } => ({}))

/** Creates the built-in runner of an instance and starts it if it is enabled. The returned function stops it. */
export function attachBuiltInRunner(options: RunningInstance): () => Promise<void> {
  const { db } = options.context()
  const runner = new BuiltInRunner(options)
  holderOf(db).runner = runner
  void runner.apply()
  return async () => {
    holderOf(db).runner = undefined
    await runner.close()
  }
}

/** Starts, stops or changes the runner to match its settings. */
export async function applyBuiltIn({ db }: Pick<Ctx, 'db'>): Promise<void> {
  await holderOf(db).runner?.apply()
}

/** Whether the built-in runner is requesting jobs. */
export function isWorking({ db }: Pick<Ctx, 'db'>): boolean {
  return holderOf(db).runner?.isWorking ?? false
}

/** Fails the running jobs of the built-in runner. It is about to start, so none of them is really running. */
function dropOwnJobs(ctx: Ctx): void {
  const row = builtIn(ctx.db)
  for (const job of row ? runningJobs(ctx.db, row.id) : []) dropJob(ctx, job, 'runner_system_failure')
}

class BuiltInRunner {
  readonly #options: RunningInstance
  readonly #unwatch: () => void
  #worker: { readonly token: string; readonly worker: Worker; readonly client: InstanceClient } | undefined
  /** The end of the last change. Changes run one after the other. */
  #lastChange: Promise<void> = Promise.resolve()
  #isClosed = false
  #isCleaned = false

  constructor(options: RunningInstance) {
    this.#options = options
    const { events } = options.context()
    this.#unwatch = events.watch((name, payload) => {
      const isRemoval = name === RunnerChanged.name && (payload as { action?: string }).action === 'removed'
      if (isRemoval) void this.apply()
    })
  }

  get isWorking(): boolean {
    return this.#worker !== undefined
  }

  apply(): Promise<void> {
    this.#lastChange = this.#lastChange
      .then(() => this.#applySettings())
      .catch((error: unknown) => {
        this.#options.context().log.error({ err: error }, 'the built-in runner could not be started')
      })
    return this.#lastChange
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#unwatch()
    await this.#lastChange
    await this.#stop()
  }

  async #applySettings(): Promise<void> {
    const ctx = this.#options.context()
    const settings = runnerSettings(ctx.db)
    const token = this.#isClosed || settings?.built_in_enabled !== true ? undefined : builtInToken(ctx)
    const shell = findShell()
    if (token === undefined || shell === undefined) return this.#stop()
    if (this.#worker?.token === token) {
      this.#worker.worker.concurrency = settings!.built_in_concurrency
      return
    }
    await this.#stop()
    if (!this.#isCleaned) await this.#cleanUp(ctx)
    this.#start(ctx, { token, shell, concurrency: settings!.built_in_concurrency })
  }

  /** Ends jobs and programs, and removes folders, that a killed process of the instance left. */
  async #cleanUp(ctx: Ctx): Promise<void> {
    this.#isCleaned = true
    dropOwnJobs(ctx)
    await cleanUp(ctx.config.dataDir, Date.parse(ctx.now))
  }

  #start(
    ctx: Ctx,
    { token, shell, concurrency }: { token: string; shell: string; concurrency: number },
  ): void {
    const { ownUrl, ownCertificate, version, revision, dataDir } = ctx.config
    const client = new InstanceClient(ownUrl, ownCertificate)
    const machine = {
      client,
      certificate: ownCertificate,
      shell,
      ...folders(dataDir),
      env: environment(this.#options.gitBinary),
      about: { name: 'built-in runner', version, revision, ...system() },
      now: () => new Date(this.#options.context().now),
    }
    const onTokenRefused = (): void => void this.#stop()
    this.#worker = { token, client, worker: new Worker({ machine, token, concurrency, onTokenRefused }) }
  }

  async #stop(): Promise<void> {
    const current = this.#worker
    this.#worker = undefined
    await current?.worker.stop()
    current?.client.close()
  }
}

const PURPOSE = 'runner_settings.built_in_token'

/** Encrypts the token of the built-in runner for storage. */
export function sealToken({ secrets }: Pick<Ctx, 'secrets'>, token: string): string {
  return secrets.seal(token, PURPOSE)
}

/** The token of the built-in runner. Undefined if the runner does not exist or its token was reset. */
export function builtInToken(ctx: Pick<Ctx, 'db' | 'now' | 'secrets'>): string | undefined {
  const sealed = runnerSettings(ctx.db)?.built_in_token
  if (!sealed) return undefined
  const token = ctx.secrets.open(sealed, PURPOSE).toString()
  return runnerByToken(ctx, token) ? token : undefined
}
