import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isBranchName } from '../../../git/names.ts'
import { removeRepository, withWriteLock } from '../../../git/upkeep/repository.ts'
import { enqueue, withdraw } from '../../../jobs/job.ts'
import { fail, invalid, type Failure } from '../../../lib/fail.ts'
import { slugify } from '../../../lib/text/slug.ts'
import { storageProblem } from '../../../lib/files/storage-problem.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import { OWNER, type Visibility } from '../../../policy/levels.ts'
import { insertMember, projectSource } from '../../members/index.ts'
import {
  endRedirect,
  namespaceById,
  namespaceByPath,
  namespaceOfUser,
  newRegistrationToken,
  type NamespaceRow,
} from '../../namespaces/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { checkAvatar, clearRepositoryPath, pickStorage, type AvatarFile } from '../../storage/index.ts'
import { userById } from '../../users/index.ts'
import { storeAvatar } from './update.ts'
import {
  isBuiltInTemplate,
  type BuiltInTemplate,
  fullPath,
  type Project,
  type ProjectColumns,
} from '../types.ts'
import { renderDescription } from '../service-description.ts'
import { ProjectFirstContentScheduled, ProjectImportScheduled, ProjectTemplateScheduled } from '../events.ts'
import { checkImportUrl, parseImportUrl, storeImportCredentials } from '../repository/import-source.ts'
import { removeOrphanedRepository } from '../jobs.ts'
import { abilities, mayCreateIn } from '../policy.ts'
import { createRepositoryWith, markReady, repoOf, type FirstContent } from '../repository/repository.ts'
import {
  checkFields,
  checkFree,
  checkLimit,
  checkRunners,
  checkStorage,
  checkVisibility,
  defaultVisibility,
} from '../validation.ts'
import { project as scope } from '../service-scope.ts'
import * as store from '../store.ts'

/** The parameters of a new project; `columns` are its settings. */
export interface NewProject extends TemplateRequest {
  readonly name?: string | undefined
  readonly path?: string | undefined
  readonly namespace_id?: number | undefined
  readonly default_branch?: string | undefined
  readonly initialize_with_readme?: boolean | undefined
  readonly import_url?: string | undefined
  readonly avatar?: AvatarFile | null | undefined
  readonly columns: Partial<ProjectColumns>
}

/** A request that has not created its project after this time has failed; a job then deletes its repository. */
const CREATION_TIMEOUT_MS = 60_000

/**
 * Creates a project with its repository, in the given namespace or the owner's personal one. With an `import_url` a
 * job fills it. Throws 400 for invalid names, paths and visibilities, 403 if the project limit is reached or
 * importing is disabled, 422 for an address without a repository.
 */
export async function createProject(
  ctx: Ctx,
  input: NewProject,
  ownerId: number | null = ctx.actor.id,
): Promise<Project> {
  const builtIn = builtInOf(input)
  const template = builtIn ? undefined : templateOf(ctx, input)
  if (input.columns.mirror === true && !input.import_url) throw invalid({ import_url: "can't be blank" })
  if (input.avatar) await checkAvatar(input.avatar)
  const description_html = await renderDescription(input.columns.description ?? null)
  const rendered = { ...input, columns: { ...input.columns, description_html } }
  const created = template
    ? await createFromProject(ctx, rendered, { template, ownerId })
    : builtIn
      ? await createFromBuiltInTemplate(ctx, rendered, { template_name: builtIn, ownerId })
      : input.import_url
        ? await createImported(ctx, rendered, ownerId)
        : await createBlank(ctx, rendered, ownerId)
  return input.avatar ? storeAvatar(ctx, created, input.avatar) : created
}

function createBlank(ctx: Ctx, input: NewProject, ownerId: number | null): Promise<Project> {
  const firstContent = {
    initialize_with_readme: input.initialize_with_readme ?? false,
    actor_id: ctx.actor.id,
  }
  return createWithRepository(ctx, input, {
    ownerId,
    firstContent: firstContent,
    record: (created) => markReady(ctx, created, firstContent),
  })
}

async function createImported(ctx: Ctx, input: NewProject, ownerId: number | null): Promise<Project> {
  const { url: import_url, credentials } = parseImportUrl(await checkImportUrl(ctx, input.import_url!))
  const mirror_user_id = input.columns.mirror === true ? ctx.actor.id : null
  const source = { import_url, import_type: 'git', import_status: 'scheduled', mirror_user_id } as const
  const columns = { ...input.columns, ...source }
  return createWithRepository(
    ctx,
    { ...input, columns },
    {
      ownerId,
      record: (created) => {
        storeImportCredentials(ctx, created, credentials)
        publish(ctx, ProjectImportScheduled, { project_id: created.id, actor_id: ctx.actor.id })
        return created
      },
    },
  )
}

/** Creates a project with the code of another project, which a job copies. */
function createFromProject(
  ctx: Ctx,
  input: NewProject,
  { template, ownerId }: { template: Project; ownerId: number | null },
): Promise<Project> {
  const columns = { ...input.columns, import_status: 'scheduled' as const }
  return createWithRepository(
    ctx,
    { ...input, columns },
    {
      ownerId,
      record: (created) => {
        publish(ctx, ProjectTemplateScheduled, {
          project_id: created.id,
          actor_id: ctx.actor.id,
          template_project_id: template.id,
        })
        return created
      },
    },
  )
}

/** Creates a project from a built-in template; a job commits its files. */
function createFromBuiltInTemplate(
  ctx: Ctx,
  input: NewProject,
  { template_name, ownerId }: { template_name: string; ownerId: number | null },
): Promise<Project> {
  const columns = { ...input.columns, import_status: 'scheduled' as const }
  return createWithRepository(
    ctx,
    { ...input, columns },
    {
      ownerId,
      record: (created) => {
        const event = { project_id: created.id, actor_id: ctx.actor.id, template_name }
        publish(ctx, ProjectFirstContentScheduled, event)
        return created
      },
    },
  )
}

interface CreationOptions {
  readonly ownerId: number | null
  /** The first content of the repository; empty if an import fills it. */
  readonly firstContent?: FirstContent
  /** Runs in the transaction that inserts the row. */
  readonly record: (created: Project) => Project
}

/**
 * Creates the repository first and the row last, so that no reader sees an incomplete project. After a crash in
 * between, a job deletes the repository. If the repository cannot be created, there is no project.
 */
async function createWithRepository(
  ctx: Ctx,
  input: NewProject,
  { ownerId, firstContent, record }: CreationOptions,
): Promise<Project> {
  const { planned: plan, unmade: cleanup } = tx(ctx.db, () => reserve(ctx, input, ownerId))
  const { repository_storage } = plan
  const repo = repoOf(ctx, plan)
  return withWriteLock(repo, async () => {
    try {
      await createRepositoryWith(ctx, repo, plan, firstContent).catch((error: unknown) => {
        ctx.log.error(
          { err: error, project_id: plan.id },
          'the repository of a new project could not be created',
        )
        throw storageProblem(error) ?? notOnDisk()
      })
      return tx(ctx.db, () => {
        if (!withdraw(ctx, removeOrphanedRepository, cleanup)) throw notOnDisk()
        // The input is checked again, because other requests ran in the meantime.
        const columns = { ...input.columns, repository_storage }
        return record(insertProject(ctx, { ...input, columns }, ownerId, plan.id))
      })
    } catch (error) {
      await removeRepository(repo)
      withdraw(ctx, removeOrphanedRepository, cleanup)
      throw error
    }
  })
}

function notOnDisk(): Failure {
  return fail('unavailable', 'The repository could not be created on disk; the project was not created.')
}

/** Reserves the id and path of a new project, and enqueues the job that deletes its repository after a crash. */
function reserve(ctx: Ctx, input: NewProject, ownerId: number | null) {
  const { row } = planProject(ctx, input, ownerId)
  const plan = { ...row, ...store.reserve(ctx.db) }
  clearRepositoryPath(ctx, plan)
  const { id: project_id, repository_storage, disk_path } = plan
  const cleanup = { project_id, repository_storage, disk_path }
  enqueue(ctx, removeOrphanedRepository, cleanup, {
    key: `project:${project_id}`,
    delay: CREATION_TIMEOUT_MS,
  })
  return { planned: plan, unmade: cleanup }
}

/**
 * Inserts the row of a new project in the caller's transaction. `reservedId` is the reserved id of a project with an
 * existing repository; without it the repository is created later. Throws the errors of `createProject` for invalid
 * input.
 */
export function insertProject(
  ctx: Ctx,
  input: NewProject,
  ownerId: number | null,
  reservedId?: number,
): Project {
  const { row, namespace } = planProject(ctx, input, ownerId)
  const project = store.insert(ctx.db, row, reservedId)
  if (reservedId === undefined) clearRepositoryPath(ctx, project)
  endRedirect(ctx.db, fullPath(project))
  // The owner of the namespace owns its projects, and is also listed as a member.
  if (namespace.owner_id !== null)
    insertMember(ctx, projectSource(project), namespace.owner_id, { access_level: OWNER })
  return project
}

/** Returns the columns of a new project. Throws for invalid values. */
function planProject(ctx: Ctx, input: NewProject, ownerId: number | null) {
  const name = input.name ?? input.path ?? ''
  const path = input.path ?? slugify(name)
  const settings = settingsOf(ctx)
  const default_branch = input.default_branch || settings.default_branch_name || 'main'
  checkFields({ name, path, description: input.columns.description })
  if (!isBranchName(default_branch)) throw invalid({ default_branch: 'is not a valid branch name' })
  const namespace = namespaceFor(ctx, input.namespace_id, ownerId)
  const visibility = (input.columns.visibility as Visibility | undefined) ?? defaultVisibility(ctx, namespace)
  checkVisibility(ctx, namespace, visibility)
  checkRunners(namespace, input.columns)
  checkLimit(ctx, namespace)
  const full_path = `${namespace.full_path}/${path}`
  checkFree(ctx, namespace, { name, path, groupTaken: namespaceByPath(ctx.db, full_path) !== undefined })
  const row = {
    pages_access_level: visibility === 'private' ? ('private' as const) : ('enabled' as const),
    shared_runners_enabled: settings.shared_runners_enabled && namespace.shared_runners_setting === 'enabled',
    ci_config_path: settings.default_ci_config_path,
    ...input.columns,
    repository_storage: checkStorage(ctx, input.columns.repository_storage) ?? pickStorage(ctx),
    name,
    path,
    visibility,
    default_branch,
    namespace_id: namespace.id,
    creator_id: ownerId,
    ...newRegistrationToken(ctx).columns,
    created_at: ctx.now,
    updated_at: ctx.now,
    last_activity_at: ctx.now,
  }
  return { row, namespace }
}

function namespaceFor(ctx: Ctx, id: number | undefined, ownerId: number | null): NamespaceRow {
  if (id === undefined) {
    const ownNamespace = ownerId === null ? undefined : namespaceOfUser(ctx.db, ownerId)
    if (ownNamespace) return ownNamespace
  }
  const namespace = id === undefined ? undefined : namespaceById(ctx.db, id)
  if (!namespace || !mayCreateIn(ctx, namespace)) throw invalid({ namespace: 'is not valid' })
  return namespace
}

/** Creates a project for another user. Throws `404 User Not Found`. */
export async function createProjectFor(ctx: Ctx, userId: number, input: NewProject): Promise<Project> {
  if (!userById(ctx.db, userId)) throw fail('not_found', '404 User Not Found')
  return createProject(ctx, input, userId)
}

/**
 * The template of a new project: a built-in one, a project by its id, or a project by its name in a group of
 * templates.
 */
interface TemplateRequest {
  readonly template_name?: string | undefined
  readonly template_project_id?: number | undefined
  readonly use_custom_template?: boolean | undefined
  readonly group_with_project_templates_id?: number | undefined
}

/** Returns the requested template of the instance; undefined if none is requested. */
function builtInOf(request: TemplateRequest): BuiltInTemplate | undefined {
  const { template_name, use_custom_template } = request
  return use_custom_template !== true && isBuiltInTemplate(template_name) ? template_name : undefined
}

/**
 * Returns the requested project to copy; undefined if none is requested. Throws 400 if the actor may not read its
 * code.
 */
function templateOf(ctx: Ctx, request: TemplateRequest): Project | undefined {
  const { template_name, template_project_id } = request
  if (template_name === undefined && template_project_id === undefined) return undefined
  const template =
    template_project_id === undefined ? templateByName(ctx, request) : store.byId(ctx.db, template_project_id)
  if (template && canRead(ctx, scope, template) && hasAbility(ctx, scope, abilities.read_code, template))
    return template
  throw template_project_id === undefined
    ? invalid({ template_name: `'${template_name}' is unknown or invalid` })
    : invalid({ template_project_id: 'is unknown or invalid' })
}

function templateByName(ctx: Ctx, request: TemplateRequest): Project | undefined {
  const { template_name, use_custom_template, group_with_project_templates_id: id } = request
  const group = use_custom_template && id !== undefined ? namespaceById(ctx.db, id) : undefined
  return group && store.byPath(ctx.db, `${group.full_path}/${template_name}`)
}
