import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Bounds {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface WindowState {
  /** Without a position the system chooses one. */
  readonly x?: number
  readonly y?: number
  readonly width: number
  readonly height: number
  readonly maximized: boolean
}

export const MIN_WIDTH = 640
export const MIN_HEIGHT = 480
const DEFAULT = { width: 1280, height: 800, maximized: false }

/** The width in pixels of the title bar that must be visible, so that the user can move the window. */
const MIN_VISIBLE = 100

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value)

function isReachable(bounds: Bounds, display: Bounds): boolean {
  const visibleWidth =
    Math.min(bounds.x + bounds.width, display.x + display.width) - Math.max(bounds.x, display.x)
  const isTopInside = bounds.y >= display.y && bounds.y < display.y + display.height - MIN_VISIBLE / 2
  return visibleWidth >= MIN_VISIBLE && isTopInside
}

/**
 * Returns the state of a new window: the saved one, if it is still possible. The size never exceeds the largest
 * display, and the position is used only if the title bar is visible on a display.
 */
export function restoreState(saved: unknown, displays: readonly Bounds[]): WindowState {
  if (typeof saved !== 'object' || saved === null) return DEFAULT
  const { x, y, width, height, maximized } = saved as Record<string, unknown>
  if (!isNumber(width) || !isNumber(height)) return DEFAULT
  const widest = Math.max(MIN_WIDTH, ...displays.map((display) => display.width))
  const highest = Math.max(MIN_HEIGHT, ...displays.map((display) => display.height))
  const size = {
    width: Math.min(Math.max(width, MIN_WIDTH), widest),
    height: Math.min(Math.max(height, MIN_HEIGHT), highest),
    maximized: maximized === true,
  }
  if (!isNumber(x) || !isNumber(y)) return size
  const isVisible = displays.some((display) => isReachable({ x, y, ...size }, display))
  return isVisible ? { x, y, ...size } : size
}

/** Returns the saved state; undefined if there is none or it cannot be read. */
export function readState(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Saves the state. Failures are ignored. */
export function writeState(file: string, state: WindowState): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify(state)}\n`)
  } catch {
    // The disk may be read-only or full. The next start uses the earlier state.
  }
}
