import type { Component } from 'vue'

/** One entry of a menu. */
export type MenuEntry = {
  label: string
  /** What it does; an entry with an address needs nothing here. */
  run?: () => void
  /** Something to download: the browser follows it. */
  href?: string
  /** A word at the end: why the entry is disabled, or what it is about. */
  note?: string
  icon?: Component
  keys?: string
  danger?: boolean
  disabled?: boolean
  checked?: boolean
}
