import { rmSync } from 'node:fs'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { isBranchName } from '../../../../git/names.ts'
import { ARCHIVE_SOURCE } from '../../../../lib/aliases.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { renameDurably, syncFile } from '../../../../lib/files/durable-file.ts'
import { Failure, fail } from '../../../../lib/fail.ts'
import { VISIBILITY_RANK, type Visibility } from '../../../../policy/levels.ts'
import type { NamespaceRow } from '../../../namespaces/index.ts'
import {
  checkVisibility,
  insertProject,
  projectById,
  renderDescription,
  settingsToColumns,
  type Project,
} from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import type { ImportView } from '../../imports/entity.ts'
import { firstSentence, targetFor, type ImportTarget, type RequestedTarget } from '../../imports/target.ts'
import { statusOf } from '../../imports/status.ts'
import { isGzip } from '../../archive/unpack.ts'
import { beginRun, type NewRun } from '../../imports/runs.ts'
import { archiveNames, archivePath } from '../../imports/files.ts'
import { update as updateRun } from '../../imports/store.ts'
import { fetchArchive, importArchiveJob, importOptions } from './jobs.ts'
import type { RemoteArchive } from './remote/archive-source.ts'

const MAX_DESCRIPTION = 2000

/**
 * The columns of `override_params`, validated like an update of the project (spec administration 6.5). They take
 * precedence over the archive. Throws 400 for invalid values.
 */
async function overrideColumns(
  ctx: Ctx,
  namespace: NamespaceRow,
  input: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const columns: Record<string, unknown> = settingsToColumns(input)
  const { visibility, description } = columns
  if (typeof visibility === 'string' && visibility in VISIBILITY_RANK)
    checkVisibility(ctx, namespace, visibility as Visibility)
  if (typeof description === 'string' && description.length > MAX_DESCRIPTION)
    throw fail('bad_request', `Description is too long (maximum is ${MAX_DESCRIPTION} characters)`)
  const branch = input['default_branch']
  if (typeof branch === 'string' && branch !== '') {
    if (!isBranchName(branch)) throw fail('bad_request', 'Default branch is not a valid branch name')
    columns['default_branch'] = branch
  }
  if (description === undefined) return columns
  return { ...columns, description_html: await renderDescription(description as string | null) }
}

/** The parameters of an import. */
export interface ArchiveImportOptions extends RequestedTarget {
  readonly override_params?: Readonly<Record<string, unknown>> | undefined
}

/** An uploaded archive. */
export interface UploadedFile {
  readonly path: string
  readonly filename: string
}

/** Throws 403 if the settings do not allow archives (`import_sources`). */
export function checkSource(ctx: Ctx): void {
  if (!settingsOf(ctx).import_sources.includes(ARCHIVE_SOURCE)) throw fail('forbidden')
}

/**
 * Creates a project and stores the import of an uploaded archive into it. Throws the errors of `targetFor`, and 400 for
 * a file that is not an archive.
 */
export async function importUpload(
  ctx: Ctx,
  input: ArchiveImportOptions,
  file: UploadedFile,
): Promise<ImportView> {
  checkSource(ctx)
  const { namespace } = targetFor(ctx, input)
  const overrides = await overrideColumns(ctx, namespace, input.override_params)
  await checkGzip(file.path)
  await syncFile(file.path)
  const run = { import_source: file.filename.slice(0, 255), override_params: overrides }
  return createProject(ctx, input, run, (project) => {
    const { file: name } = archiveNames(project.id)
    const target = archivePath(ctx.config, name)
    updateRun(ctx.db, project.id, { file: name })
    enqueue(ctx, importArchiveJob, { project_id: project.id }, importOptions(project.id))
    renameDurably(file.path, target)
    return () => rmSync(target, { force: true })
  })
}

/**
 * Creates a project and the job that downloads its archive. `lookup` checks the remote archive and returns its source.
 */
export async function importRemote(
  ctx: Ctx,
  input: ArchiveImportOptions,
  lookup: () => Promise<RemoteArchive>,
): Promise<ImportView> {
  const target = targetFor(ctx, input)
  const overrides = await overrideColumns(ctx, target.namespace, input.override_params)
  const { import_source, source, credentials } = await lookup()
  const run = {
    import_source,
    source: { ...source },
    override_params: overrides,
    ...(credentials ? { credentials } : {}),
  }
  return createProject(ctx, input, run, (project) => {
    enqueue(ctx, fetchArchive, { project_id: project.id })
    return () => undefined
  })
}

/**
 * Creates the project and the run of its import. Calls `prepare` in the same transaction. If the transaction fails,
 * calls the cleanup function that `prepare` returned.
 */
function createProject(
  ctx: Ctx,
  input: ArchiveImportOptions,
  run: Omit<NewRun, 'import_type'>,
  prepare: (project: Project) => () => void,
): ImportView {
  let cleanUp: (() => void) | undefined
  try {
    return tx(ctx.db, () => {
      const target = targetFor(ctx, input)
      const project = insertPrivateProject(ctx, target)
      beginRun(ctx, project, {
        ...run,
        import_type: ARCHIVE_SOURCE,
        overwrites_project_id: target.replaces?.id ?? null,
      })
      cleanUp = prepare(project)
      return statusOf(ctx, projectById(ctx.db, project.id)!)
    })
  } catch (error) {
    cleanUp?.()
    throw error
  }
}

/**
 * Inserts the row of the new project, which is private until it is imported. A project that overwrites another has a
 * temporary name until then.
 */
function insertPrivateProject(ctx: Ctx, { namespace_id, name, path, replaces }: ImportTarget): Project {
  const suffix = replaces ? `-import-${ctx.random.hex(4)}` : ''
  const names = {
    name: `${name.slice(0, 255 - suffix.length)}${suffix}`,
    path: `${path.slice(0, 255 - suffix.length)}${suffix}`,
  }
  try {
    return insertProject(ctx, { ...names, namespace_id, columns: { visibility: 'private' } }, ctx.actor.id)
  } catch (error) {
    const sentence = firstSentence(error)
    throw error instanceof Failure && sentence ? fail('bad_request', sentence) : error
  }
}

/** Throws 400 for a file that is not gzip. */
export async function checkGzip(path: string): Promise<void> {
  if (!(await isGzip(path))) throw fail('parameter', 'file is invalid')
}
