import type { Ctx } from '../../../ctx.ts'
import { fullPath, type Project } from '../../projects/index.ts'

type ProjectPath = Pick<Project, 'namespace_full_path' | 'path'>

/** The page of a release, below the instance; tags keep their slashes encoded, so that they stay one segment. */
export function pathOfRelease(project: ProjectPath, tag: string): string {
  return `/${fullPath(project)}/-/releases/${encodeURIComponent(tag)}`
}

/** Where the summary of a release is to be had as a file. */
export function pathOfEvidence(project: ProjectPath, tag: string, id: number): string {
  return `${pathOfRelease(project, tag)}/evidences/${id}.json`
}

/** The archives that every release has, in the order of the contract (spec administration 4.3). */
export const SOURCE_FORMATS = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

/** A name of a tag as part of an address. A slash stays one, as archives are asked for with it. */
function inAddress(tag: string): string {
  return tag.split('/').map(encodeURIComponent).join('/')
}

/** Where the code of a tag is to be had: `<project>/-/archive/<tag>/<name>-<tag>.<format>`. */
export function sourcesAt(
  url: string,
  project: Pick<Project, 'namespace_full_path' | 'path'>,
  tag: string,
): { format: string; url: string }[] {
  const name = `${project.path}-${encodeURIComponent(tag.replaceAll('/', '-'))}`
  const folder = `${url}/${fullPath(project)}/-/archive/${inAddress(tag)}`
  return SOURCE_FORMATS.map((format) => ({ format, url: `${folder}/${name}.${format}` }))
}

/** Where the code of a tag is to be had, in four formats. */
export function sourcesOf(
  ctx: Pick<Ctx, 'config'>,
  project: Pick<Project, 'namespace_full_path' | 'path'>,
  tag: string,
): { format: string; url: string }[] {
  return sourcesAt(ctx.config.url, project, tag)
}

/** An address as a header carries it. */
export function hrefOf(url: string): string {
  return URL.parse(url)?.href ?? encodeURI(url)
}

/** A query with its `?`, without what says how the latest release is found; empty where nothing is left. */
export function withoutOrder(query: string): string {
  const rest = query.split('&').filter((part) => part !== '' && !/^order_by(=|$)/.test(part))
  return rest.length === 0 ? '' : `?${rest.join('&')}`
}
