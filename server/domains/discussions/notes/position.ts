import { createHash } from 'node:crypto'

/** A line as a range names its ends. */
export interface RangeEnd {
  readonly line_code: string | null
  readonly type: 'new' | 'old' | null
  readonly old_line: number | null
  readonly new_line: number | null
}

/** A place in a diff, as it is stored and shown (spec core 5.5). */
export interface Position {
  readonly base_sha: string
  readonly start_sha: string
  readonly head_sha: string
  readonly old_path: string
  readonly new_path: string
  readonly position_type: 'text' | 'image'
  readonly old_line?: number | null
  readonly new_line?: number | null
  readonly line_range?: { readonly start: RangeEnd; readonly end: RangeEnd } | null
  readonly width?: number | null
  readonly height?: number | null
  readonly x?: number | null
  readonly y?: number | null
}

type End = { readonly [K in keyof RangeEnd]?: RangeEnd[K] | undefined }

/** The same as a caller gives it. */
export interface GivenPosition {
  readonly base_sha: string
  readonly start_sha: string
  readonly head_sha: string
  readonly position_type: 'text' | 'image'
  readonly old_path?: string | undefined
  readonly new_path?: string | undefined
  readonly old_line?: number | undefined
  readonly new_line?: number | undefined
  readonly line_range?: { readonly start?: End | undefined; readonly end?: End | undefined } | undefined
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly x?: number | undefined
  readonly y?: number | undefined
}

/** Names a line of a diff: digest of the path, old line, new line. */
export function lineCode(path: string, oldLine: number, newLine: number): string {
  return `${createHash('sha1').update(path).digest('hex')}_${oldLine}_${newLine}`
}
