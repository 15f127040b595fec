import type { Ctx } from '../../../ctx.ts'
import { readBlob } from '../../../git/read/blob.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { listTree } from '../../../git/read/tree.ts'
import { CI_TEMPLATES, DESCRIPTION_TEMPLATE_FOLDERS } from '../../../lib/aliases.ts'
import { notFound } from '../../../lib/fail.ts'
import { ciTemplateNamed, ciTemplateNames } from '../../ci_config/index.ts'
import { inRepository } from '../../repository/index.ts'
import type { Project } from '../../projects/index.ts'
import { DOCKERFILES } from './dockerfiles.ts'
import { gitignoreNamed, gitignoreNames } from './gitignores.ts'
import { customKeys, customText } from './instance-project.ts'

/** Kinds of templates of the instance. */
export const KINDS = ['gitignores', CI_TEMPLATES, 'dockerfiles'] as const
export type Kind = (typeof KINDS)[number]

/** Keys of the templates of a kind: those of the instance's template project first. */
export async function templateKeys(ctx: Ctx, kind: Kind): Promise<string[]> {
  return [...new Set([...(await customKeys(ctx, kind)), ...(await builtInKeys(ctx, kind))])]
}

async function builtInKeys(ctx: Ctx, kind: Kind): Promise<string[]> {
  if (kind === 'gitignores') return gitignoreNames(ctx.config)
  if (kind === 'dockerfiles') return Object.keys(DOCKERFILES)
  return ciTemplateNames(ctx.config)
}

/** One template. Throws 404. */
export async function templateOf(
  ctx: Ctx,
  kind: Kind,
  key: string,
): Promise<{ name: string; content: string }> {
  const content = (await customText(ctx, kind, key)) ?? (await textOf(ctx, kind, key))
  if (content === undefined) throw notFound('Template')
  return { name: key, content }
}

async function textOf(ctx: Ctx, kind: Kind, key: string): Promise<string | undefined> {
  if (kind === 'gitignores') return gitignoreNamed(ctx.config, key)
  if (kind === 'dockerfiles') return Object.hasOwn(DOCKERFILES, key) ? DOCKERFILES[key] : undefined
  return (await ciTemplateNamed(ctx.config, key)) ?? undefined
}

/** Kinds of templates that a project has on its default branch. */
export const OWN_KINDS = ['issues', 'merge_requests'] as const
export type OwnKind = (typeof OWN_KINDS)[number]

/** Templates are texts for people; larger files are something else. */
const MAX_BYTES = 1024 * 1024

/** The description templates in a project's repository; empty without any. */
export async function ownTemplates(ctx: Ctx, project: Project, kind: OwnKind): Promise<OwnTemplate[]> {
  if (project.empty_repo) return []
  const found = await inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, project.default_branch)
    return tip === null ? null : listTree(repo, tip, { path: DESCRIPTION_TEMPLATE_FOLDERS[kind] })
  })
  const files = found?.entries.filter((one) => one.type === 'blob' && one.name.endsWith('.md')) ?? []
  return files.map((one) => ({ key: one.name.slice(0, -'.md'.length), blob: one.id }))
}

export interface OwnTemplate {
  readonly key: string
  /** Object id of the file. */
  readonly blob: string
}

/** One description template with its text. Throws 404. */
export async function ownTemplate(
  ctx: Ctx,
  project: Project,
  kind: OwnKind,
  key: string,
): Promise<{ name: string; content: string }> {
  const entry = (await ownTemplates(ctx, project, kind)).find((one) => one.key === key)
  const blob =
    entry && (await inRepository(ctx, project, (repo) => readBlob(repo, entry.blob, { maxBytes: MAX_BYTES })))
  if (!entry || !blob) throw notFound('Template')
  return { name: entry.key, content: blob.content.toString('utf8') }
}
