import type { Component } from 'vue'

/** One part of the settings of something, with its address. */
export type Part = { label: string; to: string; icon: Component }
