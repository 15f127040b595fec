import type { Ctx } from '../../../ctx.ts'
import { readBlob } from '../../../git/read/blob.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { listTree } from '../../../git/read/tree.ts'
import { CI_TEMPLATES, CUSTOM_CI_FOLDER } from '../../../lib/aliases.ts'
import { projectById, inRepository } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'

/** Kinds of templates that the instance's template project may have. */
export type CustomKind = 'licenses' | 'dockerfiles' | 'gitignores' | typeof CI_TEMPLATES

/** Folder of each kind in the project, and the suffix of its files. */
const LOCATIONS: Readonly<Record<CustomKind, { folder: string; ending: string }>> = {
  licenses: { folder: 'LICENSE', ending: '' },
  dockerfiles: { folder: 'Dockerfile', ending: '.dockerfile' },
  gitignores: { folder: 'gitignore', ending: '.gitignore' },
  [CI_TEMPLATES]: { folder: CUSTOM_CI_FOLDER, ending: '.yml' },
}

/** The maximum size of a template in bytes. Larger files are not templates. */
const MAX_BYTES = 1024 * 1024

interface TemplateFile {
  readonly key: string
  readonly blob: string
}

async function filesOf(ctx: Ctx, kind: CustomKind): Promise<readonly TemplateFile[]> {
  const id = settingsOf(ctx).file_template_project_id
  const project = id === null ? undefined : projectById(ctx.db, id)
  if (!project || project.empty_repo || project.repository_state !== 'ready') return []
  const { folder, ending } = LOCATIONS[kind]
  const listing = await inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, project.default_branch)
    return tip === null ? null : listTree(repo, tip, { path: folder })
  })
  const files =
    listing?.entries.filter((entry) => entry.type === 'blob' && nameOf(entry.name, ending) !== '') ?? []
  return files.map((file) => ({ key: nameOf(file.name, ending), blob: file.id }))
}

/** The key of a template by its file name. A license has any suffix, or none. Empty for other files. */
function nameOf(file: string, ending: string): string {
  if (ending === '') return file.replace(/\.[^.]+$/, '')
  return file.endsWith(ending) ? file.slice(0, -ending.length) : ''
}

/** Keys of the templates in the instance's template project (spec administration 1.2, `file_template_project_id`). */
export async function customKeys(ctx: Ctx, kind: CustomKind): Promise<string[]> {
  return (await filesOf(ctx, kind)).map(({ key }) => key)
}

/** The text of such a template, or undefined. */
export async function customText(ctx: Ctx, kind: CustomKind, key: string): Promise<string | undefined> {
  const file = (await filesOf(ctx, kind)).find((entry) => entry.key === key)
  const project = file && projectById(ctx.db, settingsOf(ctx).file_template_project_id!)
  if (!file || !project) return undefined
  const blob = await inRepository(ctx, project, (repo) => readBlob(repo, file.blob, { maxBytes: MAX_BYTES }))
  return blob?.content.toString('utf8')
}
