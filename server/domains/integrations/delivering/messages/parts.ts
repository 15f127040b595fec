import type { Occasion } from '../occasion.ts'
import { projectUrl } from '../urls.ts'
import type { Part } from './markup.ts'

/** `Ann Example (ann)`. */
export function nameOf(user: { name: string | null; username: string | null } | null): string {
  return user?.name ? `${user.name} (${user.username})` : 'Somebody'
}

/** `Group / Subgroup / Project`. */
export function projectName({ project }: Pick<Occasion, 'project'>): string {
  return `${project.namespace_full_name} / ${project.name}`
}

/** Link to the project. */
export function projectLink(occasion: Occasion): Part {
  return { link: projectName(occasion), url: projectUrl(occasion) }
}

/** Link to a branch or tag. */
export function refLink(occasion: Occasion, ref: string, isTag: boolean): Part {
  const path = ref.split('/').map(encodeURIComponent).join('/')
  return { link: ref, url: `${projectUrl(occasion)}/-/${isTag ? 'tags' : 'commits'}/${path}` }
}

/** The first line of a text. */
export function firstLine(source: string): string {
  return source.split('\n', 1)[0]!.trim()
}
