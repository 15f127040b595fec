import type { Ctx } from '../../../../ctx.ts'
import { fullPath, project as scope, type Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import {
  compileInThread,
  type Compiled,
  fileOf,
  type Limits,
  type Resolver,
  resolverFor,
  type Variable,
} from '../../../ci_config/index.ts'
import { configPath, predefinedForPipeline } from '../../job_variables/predefined.ts'
import { Failure } from '../../../../lib/fail.ts'
import { directoryOf } from '../../artifacts/archive.ts'
import { openFile } from '../../artifacts/download.ts'
import { hasAbility } from '../../../../policy/ability.ts'
import { variablesForRules } from '../../job_variables/item.ts'
import { abilities } from '../../policy.ts'
import { variablesFor } from '../../variables/service.ts'
import type { PipelineRequest, PipelineTarget } from './request.ts'
import { archiveOfJob } from './store.ts'

/** The time limit for all includes in milliseconds (spec ci 4.1). */
export const INCLUDE_MS = 30_000

/** A configuration to compile. */
export interface ConfigToCompile {
  readonly text: string | null
  /** The commit from which local includes are read. Null if there is none. */
  readonly sha: string | null
  /** The ID of the parent pipeline, for includes from the artifacts of its jobs. */
  readonly parent_id?: number | undefined
  /** Whether to leave out the merged YAML, which only lint shows. */
  readonly isForPipeline?: boolean
}

/** Compiles a configuration in a project, with the permissions of the actor and the variables of the context. */
export function compileIn(
  ctx: Ctx,
  project: Project,
  config: ConfigToCompile,
  context: CompileContext,
): Promise<Compiled> {
  const signal = AbortSignal.timeout(INCLUDE_MS)
  const variables = new Map([...context.predefined, ...context.stored].map(({ key, value }) => [key, value]))
  const { parent_id } = config
  const artifact = parent_id === undefined ? {} : { artifact: artifactsOfPipeline(ctx, parent_id) }
  return compileInThread(
    ctx,
    config.text,
    { ...resolverFor(ctx, signal), ...artifact },
    {
      origin: config.sha === null ? null : { project: fullPath(project), sha: config.sha },
      variables,
      masked: context.masked,
      isForPipeline: config.isForPipeline ?? false,
      limits: limitsOf(ctx),
    },
    signal,
  )
}

/** The size limits of configurations in the application settings. */
export function limitsOf(ctx: Pick<Ctx, 'db' | 'now'>): Limits {
  const settings = settingsOf(ctx)
  return {
    yamlBytes: settings.max_yaml_size_bytes,
    yamlDepth: settings.max_yaml_depth,
    includes: settings.ci_max_includes,
    totalBytes: settings.ci_max_total_yaml_size_bytes,
  }
}

/** A configuration path in another project: `path@group/project:ref`. */
const OTHER_PROJECT = /^(?<file>[^@]+)@(?<project>[^:]+)(?::(?<ref>.+))?$/

/**
 * The configuration of a project at a commit. Null if there is none. For a path in another project or a URL, it returns
 * a configuration that includes that file.
 */
export async function configOf(
  ctx: Ctx,
  project: Project,
  sha: string,
  path: string = configPath(project),
): Promise<string | null> {
  if (/^https?:\/\//i.test(path)) return including({ remote: path })
  const match = OTHER_PROJECT.exec(path)?.groups
  if (match) {
    const { file, project: other, ref } = match
    return including({ project: other, file, ...(ref === undefined ? {} : { ref }) })
  }
  const text = await fileOf(ctx, project, sha, path.replace(/^\/+/, ''))
  return text === null || text.trim() === '' ? null : text
}

/** A configuration with one include. It is written as JSON, which is valid YAML. */
function including(entry: Record<string, unknown>): string {
  return JSON.stringify({ include: [entry] })
}

/** The maximum size in bytes of an included file from artifacts. */
const MAX_BYTES = 1_500_000

/** Returns a reader of the artifacts of the parent pipeline, for `include: {artifact, job}` (spec ci 4.10). */
function artifactsOfPipeline(ctx: Ctx, pipelineId: number): NonNullable<Resolver['artifact']> {
  return async (job, path) => {
    const archive = archiveOfJob(ctx.db, pipelineId, job)
    if (!archive)
      return { problem: `Job \`${job}\` not found in parent pipeline or does not have artifacts!` }
    const missing = { problem: `Path \`${path}\` does not exist inside the \`${job}\` artifacts archive!` }
    try {
      const file = (await directoryOf(ctx, archive)).get(path.replace(/^\/+/, ''))
      if (!file || file.size > MAX_BYTES) return missing
      const chunks: Buffer[] = []
      for await (const chunk of await openFile(ctx, archive, file)) chunks.push(chunk as Buffer)
      return { text: Buffer.concat(chunks).toString('utf8') }
    } catch (error) {
      ctx.log.debug({ err: error }, 'a configuration could not be read from artifacts')
      return error instanceof Failure ? missing : { problem: `Job \`${job}\` artifacts could not be read!` }
    }
  }
}

/** The fields of a request that the selection of jobs depends on. */
export type SelectionRequest = Pick<
  PipelineRequest,
  'source' | 'before_sha' | 'variables' | 'merge_request' | 'only_job'
>

/** The variables that includes can use before the pipeline exists. */
export interface CompileContext {
  /** The predefined variables. */
  readonly predefined: readonly Variable[]
  /**
   * The variables of the instance, groups, project and the user who starts the pipeline. The last variable of a name
   * takes precedence.
   */
  readonly stored: readonly Variable[]
  /** The values of masked variables, which errors must not show. */
  readonly masked: readonly string[]
}

/** What the rules of a pipeline can use before it is stored. */
export interface SelectionContext extends CompileContext {
  readonly request: SelectionRequest
  readonly target: PipelineTarget
}

/**
 * The variables that the actor's request can use. Without a target there are fewer. An actor who may not create
 * pipelines gets no stored variables, because conditions and file names could reveal them.
 */
export async function compileContextFor(
  ctx: Ctx,
  project: Project,
  request: SelectionRequest,
  target: PipelineTarget | null,
): Promise<CompileContext> {
  const { source, before_sha, merge_request, variables } = request
  const user = ctx.actor.kind === 'user' ? ctx.actor : null
  const details = { source, before_sha: before_sha ?? undefined, merge_request, user }
  const values = await predefinedForPipeline(ctx, project, target && { ...target, ...details })
  const predefined = target ? values : [...values, { key: 'CI_PIPELINE_SOURCE', value: source }]
  if (!hasAbility(ctx, scope, abilities.create_pipeline, project))
    return { predefined, stored: [], masked: [] }
  const use = { isProtected: target?.isProtected ?? false }
  return {
    predefined,
    stored: variablesForRules(ctx, project, { ...use, pipelineVariables: variables }),
    masked: variablesFor(ctx, project, use).flatMap(({ isMasked, value }) => (isMasked ? value : [])),
  }
}
