import type { Component } from 'vue'

/** One option of a `Picker`. */
export type PickerItem = {
  /** Tells it from the others. */
  value: string
  label: string
  /** A word at the end: a path, a user name. */
  note?: string
  icon?: Component
  /** Draws a person's picture or letter. */
  person?: boolean
  picture?: string | null
}
