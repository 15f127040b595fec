import type { Ctx } from '../../../ctx.ts'
import { readBlob } from '../../../git/read/blob.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { listTree } from '../../../git/read/tree.ts'
import { CI_TEMPLATES, CUSTOM_CI_FOLDER } from '../../../lib/aliases.ts'
import { projectById, inRepository } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'

/** The kinds of templates that the instance's template project may contain. */
export type CustomKind = 'licenses' | 'dockerfiles' | 'gitignores' | typeof CI_TEMPLATES

/** The folder of each kind in the project, and the suffix of its files. */
const LOCATIONS: Readonly<Record<CustomKind, { folder: string; suffix: string }>> = {
  licenses: { folder: 'LICENSE', suffix: '' },
  dockerfiles: { folder: 'Dockerfile', suffix: '.dockerfile' },
  gitignores: { folder: 'gitignore', suffix: '.gitignore' },
  [CI_TEMPLATES]: { folder: CUSTOM_CI_FOLDER, suffix: '.yml' },
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
  const { folder, suffix } = LOCATIONS[kind]
  const listing = await inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, project.default_branch)
    return tip === null ? null : listTree(repo, tip, { path: folder })
  })
  const files =
    listing?.entries.filter((entry) => entry.type === 'blob' && nameOf(entry.name, suffix) !== '') ?? []
  return files.map((file) => ({ key: nameOf(file.name, suffix), blob: file.id }))
}

/** The key of a template, from its file name. A license may have any suffix, or none. Empty for other files. */
function nameOf(file: string, suffix: string): string {
  if (suffix === '') return file.replace(/\.[^.]+$/, '')
  return file.endsWith(suffix) ? file.slice(0, -suffix.length) : ''
}

/** The keys of templates in the instance's template project (spec administration 1.2, `file_template_project_id`). */
export async function customKeys(ctx: Ctx, kind: CustomKind): Promise<string[]> {
  return (await filesOf(ctx, kind)).map(({ key }) => key)
}

/** The text of a template in the instance's template project; undefined if there is none. */
export async function customText(ctx: Ctx, kind: CustomKind, key: string): Promise<string | undefined> {
  const file = (await filesOf(ctx, kind)).find((entry) => entry.key === key)
  const project = file && projectById(ctx.db, settingsOf(ctx).file_template_project_id!)
  if (!file || !project) return undefined
  const blob = await inRepository(ctx, project, (repo) => readBlob(repo, file.blob, { maxBytes: MAX_BYTES }))
  return blob?.content.toString('utf8')
}
