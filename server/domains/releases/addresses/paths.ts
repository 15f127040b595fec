import type { Ctx } from '../../../ctx.ts'
import { fullPath, type Project } from '../../projects/index.ts'

type ProjectPath = Pick<Project, 'namespace_full_path' | 'path'>

/** The path of a release's page. Slashes in tags are encoded, so that a tag is one segment. */
export function pathOfRelease(project: ProjectPath, tag: string): string {
  return `/${fullPath(project)}/-/releases/${encodeURIComponent(tag)}`
}

/** The path of an evidence as a file. */
export function pathOfEvidence(project: ProjectPath, tag: string, id: number): string {
  return `${pathOfRelease(project, tag)}/evidences/${id}.json`
}

/** The archives that every release has, in the order of the contract (spec administration 4.3). */
export const SOURCE_FORMATS = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

/** Encodes a tag for the URL of an archive. Slashes stay. */
function inAddress(tag: string): string {
  return tag.split('/').map(encodeURIComponent).join('/')
}

/** The URL of an archive of a tag: `<project>/-/archive/<tag>/<name>-<tag>.<format>`. */
export function sourcesAt(
  url: string,
  project: Pick<Project, 'namespace_full_path' | 'path'>,
  tag: string,
): { format: string; url: string }[] {
  const name = `${project.path}-${encodeURIComponent(tag.replaceAll('/', '-'))}`
  const folder = `${url}/${fullPath(project)}/-/archive/${inAddress(tag)}`
  return SOURCE_FORMATS.map((format) => ({ format, url: `${folder}/${name}.${format}` }))
}

/** The URLs of the archives of a tag, in four formats. */
export function sourcesOf(
  ctx: Pick<Ctx, 'config'>,
  project: Pick<Project, 'namespace_full_path' | 'path'>,
  tag: string,
): { format: string; url: string }[] {
  return sourcesAt(ctx.config.url, project, tag)
}

/** Encodes a URL for a header. */
export function hrefOf(url: string): string {
  return URL.parse(url)?.href ?? encodeURI(url)
}

/** A query string with `?`, without the parameters that select the latest release. Empty if nothing is left. */
export function withoutOrder(query: string): string {
  const rest = query.split('&').filter((part) => part !== '' && !/^order_by(=|$)/.test(part))
  return rest.length === 0 ? '' : `?${rest.join('&')}`
}
