import type { Mark } from '../../../lib/markdown.ts'
import type { WikiPosition } from '../../../lib/markup/wiki-addresses.ts'
import type { Project } from '../../projects/index.ts'

/** Kinds of references in texts. */
export type WantedKind =
  | 'user'
  | 'issue'
  | 'merge_request'
  | 'snippet'
  | 'label'
  | 'milestone'
  | 'commit'
  | 'range'

/** A reference to look up. */
export interface Wanted {
  readonly kind: WantedKind
  /** Full path of the project; undefined for the project of the text. */
  readonly path: string | undefined
  readonly name: string
  readonly quoted: boolean
  /** Appended to the link: `#note_5`. */
  readonly anchor: string
}

/** The context of a text. */
export interface TextContext {
  readonly project?: Project | undefined
  /** The position in a wiki: `[[Page]]` becomes a link, and relative links lead into the wiki. */
  readonly wiki?: WikiPosition | undefined
}

/** The full path of a project in a reference. `project#1` means a project in the same namespace. */
function pathOf(path: string, context: TextContext): string | undefined {
  if (path === '') return undefined
  if (path.includes('/') || !context.project) return path
  return `${context.project.namespace_full_path}/${path}`
}

const KINDS: Readonly<Record<string, WantedKind>> = {
  issues: 'issue',
  merge_requests: 'merge_request',
  snippets: 'snippet',
  milestones: 'milestone',
  commit: 'commit',
}

const INSIDE =
  /^([\w./-]+)\/-\/(issues|merge_requests|snippets|milestones|commit)\/(\d{1,10}|[0-9a-f]{7,40})\/?(#note_\d{1,15})?$/

/** The reference that a URL of this instance stands for, if it has a short form. */
function behind(address: string, base: string): Wanted | undefined {
  if (!address.startsWith(`${base}/`)) return undefined
  const found = INSIDE.exec(address.slice(base.length + 1))
  if (!found) return undefined
  const [, path, page, name, anchor = ''] = found
  return { kind: KINDS[page!]!, path: path!, name: name!, quoted: false, anchor }
}

/** The reference of a mark; undefined for other URLs. */
export function wantedBy(mark: Mark, context: TextContext, base: string): Wanted | undefined {
  if (mark.address !== undefined) return behind(mark.address, base)
  const { kind, path, name, quoted } = mark.reference!
  if (kind === 'outside_issue') return undefined
  return { kind, path: pathOf(path, context), name, quoted, anchor: '' }
}

/** The target of a reference, visible to the reader. */
export interface Found {
  /** Path below the instance's URL, without a leading slash. */
  readonly page: string
  readonly title: string
  /** The short form in the project that it belongs to. */
  readonly short: string
  /** Class of the link, if it differs from the kind. */
  readonly kind?: string
  /** The color of a label. */
  readonly color?: string
}

/** Targets by `keyOf`. */
export type FoundMap = Map<string, Found>

/** The references to one project that the reader may see. */
export interface Asked {
  readonly project: Project
  readonly wanted: readonly Wanted[]
}

/** A key for a reference. Users and groups have the same key in every project. */
export function keyOf(projectId: number | undefined, { kind, name, quoted }: Wanted): string {
  return `${kind === 'user' ? '' : projectId}:${kind}:${quoted ? '"' : ''}${name}`
}
