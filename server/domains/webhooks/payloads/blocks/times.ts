/** A stored time as the attributes of events have it: `2013-12-03 17:15:43 UTC` (spec administration 3.8). */
export function hookTime(time: string): string
export function hookTime(time: string | null | undefined): string | null
export function hookTime(time: string | null | undefined): string | null {
  return time ? `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC` : null
}
