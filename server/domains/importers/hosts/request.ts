import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { Failure, fail, type FailureKind } from '../../../lib/fail.ts'
import { slugify } from '../../../lib/text/slug.ts'
import { canRead } from '../../../policy/ability.ts'
import {
  beginRun,
  firstSentence,
  targetFor,
  type ImportTarget,
  isForbidden,
} from '../../import_export/index.ts'
import {
  fullPath,
  insertProject,
  allowedVisibility,
  prepareRepository,
  project as scope,
  projectById,
  renderDescription,
  type Project,
} from '../../projects/index.ts'
import { settingsOf, type Settings } from '../../settings/index.ts'
import { HostError, RateLimited } from './answers.ts'
import type { ImportJob } from './work.ts'

/** Maximum number of attempts of a request while a user waits for the answer. */
export const ATTEMPTS = 2

const MAX_DESCRIPTION = 2000

type ImportSource = Settings['import_sources'][number]

/** A repository of the host, with the fields of its project. */
export interface HostRepository {
  readonly name: string
  readonly description: string | null
  /** The highest allowed visibility of the project. */
  readonly visibility: Project['visibility']
  readonly columns?: Pick<Partial<Project>, 'wiki_access_level'>
  /** The columns of the run. */
  readonly run: Omit<Parameters<typeof beginRun>[2], 'import_type'>
}

/** A request to import a repository. Its fields are what differs between the hosts. */
export interface HostImportRequest {
  /** Name of the host in the setting `import_sources`; also the type of the import. */
  readonly type: ImportSource
  readonly target_namespace: string | undefined
  /** Name of the project. Default is the name of the repository. */
  readonly new_name: string | undefined
  readonly job: ImportJob
  /** The message for a namespace or path that cannot be used. */
  refusalOfTarget(failure: Failure): string
  /** Finds the repository at the host. Throws the host's errors. */
  findRepository(): Promise<HostRepository>
}

/** Throws 403 if the settings do not allow imports from this host. */
export function checkSource(ctx: Ctx, type: ImportSource): void {
  if (!settingsOf(ctx).import_sources.includes(type)) throw fail('forbidden')
}

/** Creates a project and the job that imports a repository into it. Throws 422 with a message for an invalid target. */
export async function beginHostImport(ctx: Ctx, request: HostImportRequest): Promise<Project> {
  // Checks the namespace before any request to the host, with a random path that is not in use.
  targetOf(ctx, request, `import-${ctx.random.hex(8)}`)
  const repository = await request.findRepository()
  const created = await createProject(ctx, request, repository)
  // If this fails, the job prepares the repository.
  await prepareRepository(ctx, created).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'a repository could not be prepared'),
  )
  return projectById(ctx.db, created.id) ?? created
}

/** Returns name, path and namespace of the new project. Throws 422 with a message. */
function targetOf(ctx: Ctx, request: HostImportRequest, name: string): ImportTarget {
  try {
    return targetFor(ctx, { namespace: request.target_namespace, path: slugify(name), name })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw refuse('unprocessable', request.refusalOfTarget(error))
  }
}

async function createProject(
  ctx: Ctx,
  request: HostImportRequest,
  repository: HostRepository,
): Promise<Project> {
  const name = request.new_name?.trim() || repository.name
  const description = (repository.description ?? '').slice(0, MAX_DESCRIPTION) || null
  const description_html = await renderDescription(description)
  try {
    return tx(ctx.db, () => {
      const target = targetOf(ctx, request, name)
      const visibility = allowedVisibility(ctx, target.namespace, repository.visibility)
      const columns = {
        description,
        description_html,
        visibility,
        import_status: 'scheduled',
        ...repository.columns,
      } as const
      const project = insertProject(
        ctx,
        { name: target.name, path: target.path, namespace_id: target.namespace_id, columns },
        ctx.actor.id,
      )
      beginRun(ctx, project, { import_type: request.type, ...repository.run })
      enqueue(ctx, request.job, { project_id: project.id }, { key: `host_imports:${project.id}` })
      return project
    })
  } catch (error) {
    const sentence = error instanceof Failure && !error.body?.['errors'] ? firstSentence(error) : undefined
    throw sentence === undefined ? error : refuse('unprocessable', sentence)
  }
}

/** Full paths of the imported projects that the caller may see, by `import_source`. The last of several imports wins. */
export function importedPaths(
  ctx: Ctx,
  imports: readonly { readonly project_id: number; readonly import_source: string }[],
): Map<string, string> {
  const paths = imports.flatMap((row) => {
    const project = projectById(ctx.db, row.project_id)
    return project && canRead(ctx, scope, project) ? [[row.import_source, fullPath(project)] as const] : []
  })
  return new Map(paths)
}

/** An error in the format of the host importers: `{"errors": "…"}`. */
export function refuse(kind: FailureKind, sentence: string): Failure {
  return new Failure(kind, undefined, { body: { errors: sentence } })
}

/** The error for an invalid or forbidden address. */
export function invalidUrl(address: string): Failure {
  return refuse('bad_request', `Invalid URL: ${address}`)
}

/**
 * Returns the answer to a request that failed because of an error of the host (spec administration 6.9, 6.10).
 * `failureOf` converts the errors that the host sent. Other errors are returned unchanged.
 */
export function refusalOf(
  error: unknown,
  address: string,
  failureOf: (error: HostError) => Failure,
): unknown {
  if (isForbidden(error)) return invalidUrl(address)
  if (error instanceof RateLimited)
    return new Failure('too_many', undefined, { body: { error: 'Too Many Requests' } })
  return error instanceof HostError ? failureOf(error) : error
}
