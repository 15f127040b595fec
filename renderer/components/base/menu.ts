import type { Component } from 'vue'

/** One entry of a menu. */
export type MenuEntry = {
  label: string
  run: () => void
  icon?: Component
  keys?: string
  danger?: boolean
  disabled?: boolean
  checked?: boolean
}
