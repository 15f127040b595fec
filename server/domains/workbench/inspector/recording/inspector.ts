import type { Ctx } from '../../../../ctx.ts'
import type { Observation } from '../../../../observer.ts'
import { RequestFiles, type Switches } from './request-files.ts'
import type { Recording } from './requests.ts'
import { Recorder } from './recorder.ts'
import type { RequestRecord } from './record.ts'

/** Pause between two events about new requests, in milliseconds. */
const ANNOUNCE_MS = 300

/** The parts of the instance that the inspector needs. */
export interface InspectorOptions {
  readonly folder: string
  readonly observation: Observation
  readonly exists: Recording['exists']
  /** Notifies windows of new records. */
  readonly announce: (last: number) => void
  readonly log: Ctx['log']
}

/** The inspector of an instance. While it is off, it takes no memory, and the kernel has no observer. */
export class Inspector {
  readonly #options: InspectorOptions
  readonly #files: RequestFiles
  #switches: Switches
  #recorder: Recorder | undefined
  #unsaved: RequestRecord[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: InspectorOptions) {
    this.#options = options
    this.#files = new RequestFiles(options.folder)
    this.#switches = this.#files.readSwitches()
  }

  get switches(): Switches {
    return this.#switches
  }

  get recorder(): Recorder | undefined {
    return this.#recorder
  }

  /** Restores the state that the inspector had before the restart. */
  async resume(): Promise<void> {
    if (!this.#switches.recording) return
    this.#start()
    if (this.#switches.kept && this.#recorder) await this.#recorder.restore((ring) => this.#files.read(ring))
  }

  switchTo(switches: Switches): void {
    this.#files.writeSwitches(switches)
    if (this.#switches.kept && !switches.kept) this.#files.clear()
    this.#switches = switches
    if (switches.recording) this.#start()
    else this.#end()
    this.#announceSoon()
  }

  clear(): void {
    this.#recorder?.clear()
    this.#unsaved = []
    this.#files.clear()
    this.#announceSoon()
  }

  /** Stops recording and waits until all requests are on disk. */
  async close(): Promise<void> {
    this.#options.observation.observer = null
    clearTimeout(this.#timer)
    this.#saveRecords()
    await this.#files.written()
  }

  #start(): void {
    this.#recorder ??= new Recorder({
      exists: this.#options.exists,
      onAdded: (record) => {
        if (this.#switches.kept) this.#unsaved.push(record)
        this.#announceSoon()
      },
    })
    this.#options.observation.observer = this.#recorder
  }

  #end(): void {
    this.#options.observation.observer = null
    this.#saveRecords()
    this.#recorder = undefined
  }

  #announceSoon(): void {
    if (this.#timer) return
    const { announce } = this.#options
    const startTimer = (): void => {
      this.#timer = setTimeout(() => {
        this.#timer = undefined
        this.#saveRecords()
        announce(this.#recorder?.last ?? 0)
      }, ANNOUNCE_MS).unref()
    }
    if (this.#recorder) this.#recorder.withoutRequest(startTimer)
    else startTimer()
  }

  #saveRecords(): void {
    const records = this.#unsaved
    this.#unsaved = []
    if (records.length > 0 && this.#recorder)
      this.#files.append(records, this.#recorder.ring, (error) =>
        this.#options.log.warn({ err: error }, 'the inspector could not keep requests on disk'),
      )
  }
}
