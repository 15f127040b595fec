import type { Ctx } from '../../../ctx.ts'
import { type Commit, findCommit } from '../../../git/read/commits.ts'
import { ZERO_ID } from '../../../git/names.ts'
import { findTag } from '../../../git/write/refs.ts'
import { autoDevops, fullPath, type Project, protectionsOf, repoOf } from '../../projects/index.ts'
import { slugOf, type Variable } from '../../ci_config/index.ts'
import { deprecatedItems, publicItems, rawItems, type VariableItem, withoutFraction } from './item.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { languagesOf, openRequestsOf } from './store.ts'
import type { Database } from '../../../db/database.ts'
import { protecting, tagProtectionsOf } from '../../repository/index.ts'
import {
  CI_CONFIG_FILE,
  CI_MARKER,
  FEATURES_VARIABLE,
  SERVICE_NAME,
  USER_VARIABLES,
} from '../../../lib/aliases.ts'
import { settingsOf } from '../../settings/index.ts'

/** The maximum length of a commit message in bytes. Operating systems limit one environment variable to 128 KiB. */
const MAX_BYTES = 100_000

/** The length from which the first line of a message is no title, so that the description is the whole message. */
const MAX_TITLE = 100

/** The variables about the commit and its ref. */
async function commitItems(ctx: Ctx, project: Project, target: VariableTarget): Promise<VariableItem[]> {
  const repo = repoOf(ctx, project)
  const commit = await findCommit(repo, target.sha)
  const tag = target.kind === 'tag' ? await findTag(repo, target.ref) : null
  const ref = sourceRef(target)
  return [
    ...publicItems({
      CI_COMMIT_SHA: target.sha,
      CI_COMMIT_SHORT_SHA: target.sha.slice(0, 8),
      CI_COMMIT_BEFORE_SHA: target.before_sha ?? ZERO_ID,
      CI_COMMIT_REF_NAME: ref,
      CI_COMMIT_REF_SLUG: slugOf(ref),
      CI_COMMIT_REF_PROTECTED: String(target.isProtected),
      CI_COMMIT_BRANCH: target.kind === 'branch' ? target.ref : undefined,
      CI_COMMIT_TAG: target.kind === 'tag' ? target.ref : undefined,
    }),
    ...(target.kind === 'tag' ? rawItems({ CI_COMMIT_TAG_MESSAGE: truncate(tag?.message ?? '') }) : []),
    ...(commit ? messageItems(commit) : []),
  ]
}

/** The branch or tag of a target. For a merge request it is the source branch. */
function sourceRef({ ref, kind, merge_request }: VariableTarget): string {
  if (kind !== 'merge_request') return ref
  const branch = merge_request?.predefined.find(({ key }) => key === 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')
  return branch?.value ?? ref
}

function messageItems(commit: Commit): VariableItem[] {
  const message = truncate(commit.message)
  const [title = '', ...rest] = message.split('\n')
  return [
    ...rawItems({
      CI_COMMIT_MESSAGE: message,
      CI_COMMIT_TITLE: title,
      CI_COMMIT_DESCRIPTION: title.length < MAX_TITLE ? rest.join('\n').trim() : message,
    }),
    ...publicItems({ CI_COMMIT_TIMESTAMP: commit.committed_date }),
    ...rawItems({ CI_COMMIT_AUTHOR: `${commit.author_name} <${commit.author_email}>` }),
  ]
}

function truncate(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text
  // If the cut splits a character, its remaining bytes are removed.
  return Buffer.from(text)
    .subarray(0, MAX_BYTES)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
}

/**
 * The predefined variables that are known before jobs exist, for includes and rules (spec ci 2.13, phases A and B).
 * Without a target they are those that all pipelines of the project share.
 */
export async function predefinedForPipeline(
  ctx: Ctx,
  project: Project,
  target: VariableTarget | null,
): Promise<Variable[]> {
  const items = [
    ...serverItems(ctx),
    ...projectItems(ctx, project),
    ...(target ? [...(await targetItems(ctx, project, target)), ...actorItems(target.user)] : []),
  ]
  return [...items, ...deprecatedItems(items)].map(({ key, value }) => ({ key, value }))
}

/** The variables about the target of a pipeline. */
export async function targetItems(
  ctx: Ctx,
  project: Project,
  target: VariableTarget,
): Promise<VariableItem[]> {
  return [
    ...pipelineItems(ctx, project, target),
    ...(await commitItems(ctx, project, target)),
    ...mergeRequestItems(target),
  ]
}

/** The user who creates a pipeline. */
export interface VariableUser {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly email: string
}

/** The target of a pipeline for its variables. */
export interface VariableTarget {
  /** The short name of the branch or tag, or `refs/merge-requests/1/head` for a merge request. */
  readonly ref: string
  readonly sha: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  readonly isProtected: boolean
  /** The source of the pipeline, such as `push`. */
  readonly source: string
  readonly before_sha?: string | undefined
  /** The properties of the pipeline that are already known. */
  readonly pipeline?:
    | { readonly iid?: number; readonly created_at?: string; readonly name?: string | null }
    | undefined
  readonly merge_request?:
    | { readonly predefined: readonly { readonly key: string; readonly value: string }[] }
    | undefined
  readonly user?: VariableUser | null | undefined
}

/** The target of a stored pipeline. */
export function targetOfPipeline(row: PipelineRow): VariableTarget {
  const predefined = JSON.parse(row.predefined) as { key: string; value: string }[]
  return {
    ref: row.ref,
    sha: row.sha,
    kind: row.tag ? 'tag' : row.merge_request_id === null ? 'branch' : 'merge_request',
    isProtected: row.protected,
    source: row.source,
    before_sha: row.before_sha,
    pipeline: { iid: row.iid, created_at: row.created_at, name: row.name },
    merge_request: { predefined },
  }
}

/** The variables with texts that the author of the merge request wrote. */
const USER_TEXTS = new Set([
  'CI_MERGE_REQUEST_TITLE',
  'CI_MERGE_REQUEST_DESCRIPTION',
  'CI_MERGE_REQUEST_LABELS',
  'CI_MERGE_REQUEST_MILESTONE',
])

/** The variables about the pipeline. Before it is created, those that are not known yet are left out. */
export function pipelineItems(ctx: Ctx, project: Project, target: VariableTarget): VariableItem[] {
  const { pipeline, source } = target
  const openRequests = requestsOf(ctx, project, target)
  return [
    ...publicItems({
      CI_PIPELINE_IID: pipeline?.iid,
      CI_PIPELINE_SOURCE: source,
      CI_PIPELINE_CREATED_AT: withoutFraction(pipeline?.created_at ?? ctx.now),
      CI_PIPELINE_TRIGGERED: source === 'trigger' ? 'true' : undefined,
    }),
    ...rawItems({ CI_PIPELINE_NAME: pipeline?.name }),
    ...publicItems({ CI_OPEN_MERGE_REQUESTS: openRequests.join(',') || undefined }),
  ]
}

/** The open merge requests of a branch, or the merge request of the pipeline, as `group/project!1`. */
function requestsOf(ctx: Ctx, project: Project, target: VariableTarget): string[] {
  if (target.kind === 'tag') return []
  if (target.kind === 'branch') return openRequestsOf(ctx.db, project.id, target.ref)
  const values = new Map(target.merge_request?.predefined.map(({ key, value }) => [key, value]))
  const iid = values.get('CI_MERGE_REQUEST_IID')
  return iid === undefined
    ? []
    : [`${values.get('CI_MERGE_REQUEST_PROJECT_PATH') ?? fullPath(project)}!${iid}`]
}

/**
 * The variables about the merge request of a pipeline. The domain of merge requests passes them when it creates the
 * pipeline.
 */
export function mergeRequestItems({ merge_request }: VariableTarget): VariableItem[] {
  return (merge_request?.predefined ?? []).flatMap(({ key, value }) =>
    (USER_TEXTS.has(key) ? rawItems : publicItems)({ [key]: value }),
  )
}

/** Whether a branch or tag is protected. Only protected refs have protected variables and runners. */
export function isProtectedRef(
  db: Database,
  projectId: number,
  ref: { readonly kind: 'branch' | 'tag'; readonly name: string },
): boolean {
  const { kind, name } = ref
  return kind === 'tag'
    ? protecting(tagProtectionsOf(db, projectId), name).length > 0
    : protecting(protectionsOf(db, projectId), name).length > 0
}

/**
 * The variables about the instance (spec ci 2.13). Those of missing features (registries, dependency proxy, Pages,
 * GraphQL) are left out, because scripts would try to use them.
 */
export function serverItems({ config }: Pick<Ctx, 'config'>): VariableItem[] {
  const { host, hostname, port, protocol } = new URL(config.url)
  const [major = '', minor = '', patch = ''] = config.version.split('-')[0]!.split('.')
  return publicItems({
    CI: 'true',
    [CI_MARKER]: 'true',
    CI_SERVER_FQDN: host,
    CI_SERVER_URL: config.url,
    CI_SERVER_HOST: hostname,
    CI_SERVER_PORT: port || (protocol === 'https:' ? '443' : '80'),
    CI_SERVER_PROTOCOL: protocol.replace(':', ''),
    CI_SERVER_SHELL_SSH_HOST: config.sshPort === undefined ? undefined : hostname,
    CI_SERVER_SHELL_SSH_PORT: config.sshPort,
    CI_SERVER_NAME: SERVICE_NAME,
    CI_SERVER_VERSION: config.version,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch,
    CI_SERVER_REVISION: config.revision,
    CI_API_V4_URL: `${config.url}/api/v4`,
    [FEATURES_VARIABLE]: '',
  })
}

/** The path of a project's CI configuration. */
export function configPath(project: Pick<Project, 'ci_config_path'>): string {
  return project.ci_config_path || CI_CONFIG_FILE
}

/** The variables about the project. */
export function projectItems(ctx: Pick<Ctx, 'config' | 'db' | 'now'>, project: Project): VariableItem[] {
  const { config, db } = ctx
  const { auto_devops_domain: domain } = settingsOf(ctx)
  const path = fullPath(project)
  return [
    ...publicItems({
      CI_PROJECT_ID: project.id,
      CI_PROJECT_NAME: project.path,
    }),
    ...rawItems({ CI_PROJECT_TITLE: project.name, CI_PROJECT_DESCRIPTION: project.description ?? '' }),
    ...publicItems({
      CI_PROJECT_PATH: path,
      CI_PROJECT_PATH_SLUG: slugOf(path),
      CI_PROJECT_NAMESPACE: project.namespace_full_path,
      CI_PROJECT_NAMESPACE_ID: project.namespace_id,
      CI_PROJECT_ROOT_NAMESPACE: project.namespace_full_path.split('/')[0]!,
      CI_PROJECT_URL: `${config.url}/${path}`,
      CI_PROJECT_VISIBILITY: project.visibility,
      CI_PROJECT_REPOSITORY_LANGUAGES: languagesOf(db, project.id).join(',').toLowerCase(),
      CI_PROJECT_CLASSIFICATION_LABEL: project.external_authorization_classification_label,
      CI_DEFAULT_BRANCH: project.default_branch,
      CI_CONFIG_PATH: configPath(project),
      // The domain to which Auto DevOps templates deploy.
      KUBE_INGRESS_BASE_DOMAIN: domain && autoDevops(ctx, project) ? domain : undefined,
    }),
  ]
}

/** The properties of a runner that variables show. */
export interface VariableRunner {
  readonly id: number
  readonly description: string | null
  readonly tag_list: readonly string[]
}

/** The variables about the runner that the instance sets. The runner itself adds its version and executor. */
export function runnerItems({ id, description, tag_list }: VariableRunner): VariableItem[] {
  return [
    ...publicItems({ CI_RUNNER_ID: id }),
    ...rawItems({ CI_RUNNER_DESCRIPTION: description ?? '' }),
    ...publicItems({ CI_RUNNER_TAGS: tag_list.join(', ') }),
  ]
}

/** The variables about the user of a job, who started the pipeline or the manual job. */
export function actorItems(user: VariableUser | null | undefined): VariableItem[] {
  if (!user) return []
  return [
    ...publicItems({
      [USER_VARIABLES.id]: user.id,
      [USER_VARIABLES.email]: user.email,
      [USER_VARIABLES.login]: user.username,
    }),
    ...rawItems({ [USER_VARIABLES.name]: user.name }),
  ]
}
