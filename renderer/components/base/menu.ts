import type { Component } from 'vue'

/** One entry of a menu. */
export type MenuEntry = {
  label: string
  /** The action; not needed for an entry with a link. */
  run?: () => void
  /** Something to download: the browser follows it. */
  href?: string
  /** A hint at the end, for example why the entry is disabled. */
  note?: string
  icon?: Component
  keys?: string
  danger?: boolean
  disabled?: boolean
  checked?: boolean
}
