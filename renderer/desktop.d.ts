import type { DesktopBridge } from '../electron/bridge.ts'

declare global {
  interface Window {
    /** What the application shell offers beyond a browser; absent in a browser, and everything works without it. */
    readonly desktop?: DesktopBridge
  }
}
