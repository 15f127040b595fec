import type { Ctx } from '../../../ctx.ts'
import { fullPath, type Project } from '../../projects/index.ts'

type ProjectPath = Pick<Project, 'namespace_full_path' | 'path'>

/** Returns the path of the page of a release. Slashes in the tag are encoded, so that it is one segment. */
export function pathOfRelease(project: ProjectPath, tag: string): string {
  return `/${fullPath(project)}/-/releases/${encodeURIComponent(tag)}`
}

/** Returns the path of the file with evidence. */
export function pathOfEvidence(project: ProjectPath, tag: string, id: number): string {
  return `${pathOfRelease(project, tag)}/evidences/${id}.json`
}

/** The archives that every release has, in the order of the contract (spec administration 4.3). */
export const SOURCE_FORMATS = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

/** Encodes a tag for the URL of an archive. Slashes stay. */
function encodeTag(tag: string): string {
  return tag.split('/').map(encodeURIComponent).join('/')
}

/** Returns the URLs of the archives of a tag: `<project>/-/archive/<tag>/<name>-<tag>.<format>`. */
export function sourcesAt(
  url: string,
  project: Pick<Project, 'namespace_full_path' | 'path'>,
  tag: string,
): { format: string; url: string }[] {
  const name = `${project.path}-${encodeURIComponent(tag.replaceAll('/', '-'))}`
  const folder = `${url}/${fullPath(project)}/-/archive/${encodeTag(tag)}`
  return SOURCE_FORMATS.map((format) => ({ format, url: `${folder}/${name}.${format}` }))
}

/** Returns the URLs of the archives of a tag, with the URL of this instance. */
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

/** Returns a query string with `?`, without `order_by`. Empty if no other parameter remains. */
export function withoutOrder(query: string): string {
  const rest = query.split('&').filter((part) => part !== '' && !/^order_by(=|$)/.test(part))
  return rest.length === 0 ? '' : `?${rest.join('&')}`
}
