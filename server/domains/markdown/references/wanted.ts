import type { Mark } from '../../../lib/markdown.ts'
import type { WikiPosition } from '../../../lib/markup/wiki-addresses.ts'
import type { Project } from '../../projects/index.ts'

/** Kinds of things that a text can lead to. */
export type WantedKind =
  | 'user'
  | 'issue'
  | 'merge_request'
  | 'snippet'
  | 'label'
  | 'milestone'
  | 'commit'
  | 'range'

/** What a mark asks for. */
export interface Wanted {
  readonly kind: WantedKind
  /** Full path of the project it is in; undefined for the project of the text. */
  readonly path: string | undefined
  readonly name: string
  readonly quoted: boolean
  /** What follows the address of a thing: `#note_5`. */
  readonly anchor: string
}

/** Where a text stands. */
export interface TextContext {
  readonly project?: Project | undefined
  /** It is a page of a wiki: `[[Page]]` is a link, and relative addresses lead into the wiki. */
  readonly wiki?: WikiPosition | undefined
}

/** In `project#1` a neighbour is meant: another project of the same namespace. */
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

/** What an address of this instance leads to, when that is something with a short form. */
function behind(address: string, base: string): Wanted | undefined {
  if (!address.startsWith(`${base}/`)) return undefined
  const found = INSIDE.exec(address.slice(base.length + 1))
  if (!found) return undefined
  const [, path, page, name, anchor = ''] = found
  return { kind: KINDS[page!]!, path: path!, name: name!, quoted: false, anchor }
}

/** What a mark asks for; undefined for an address that is another's or has no short form. */
export function wantedBy(mark: Mark, context: TextContext, base: string): Wanted | undefined {
  if (mark.address !== undefined) return behind(mark.address, base)
  const { kind, path, name, quoted } = mark.reference!
  if (kind === 'outside_issue') return undefined
  return { kind, path: pathOf(path, context), name, quoted, anchor: '' }
}

/** Something that was asked for and that the reader may see. */
export interface Found {
  /** Address below the instance, without a slash in front. */
  readonly page: string
  readonly title: string
  /** What is shown in the project that it belongs to. */
  readonly short: string
  /** Class of the link, when it is not the kind. */
  readonly kind?: string
  /** Of a label. */
  readonly color?: string
}

/** Things by `keyOf`. */
export type FoundMap = Map<string, Found>

/** What is asked for in one project that the reader may see. */
export interface Asked {
  readonly project: Project
  readonly wanted: readonly Wanted[]
}

/** Names a thing in a project; names of people are the same everywhere. */
export function keyOf(projectId: number | undefined, { kind, name, quoted }: Wanted): string {
  return `${kind === 'user' ? '' : projectId}:${kind}:${quoted ? '"' : ''}${name}`
}
