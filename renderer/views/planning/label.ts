import type { Item } from '../../api/client.ts'

/** A label in the list of a project or group; only projects have priorities and mark their own labels. */
export type Label = Item<'GET /groups/:id/labels'> & {
  priority?: number | null
  is_project_label?: boolean
}

/** Colors that are easy to distinguish in both themes. */
export const COLOURS = [
  '#cc338b',
  '#dc143c',
  '#c21e56',
  '#cd5b45',
  '#ed9121',
  '#eee600',
  '#8fbc8f',
  '#009966',
  '#013220',
  '#36454f',
  '#330066',
  '#6699cc',
  '#00b8d4',
  '#1f75cb',
  '#808080',
] as const

/** Whether a text is a full color value of the API. */
export const isColour = (text: string): boolean => /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)
