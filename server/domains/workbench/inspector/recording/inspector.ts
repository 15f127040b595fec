import type { Ctx } from '../../../../ctx.ts'
import type { Observation } from '../../../../observer.ts'
import { RequestFiles, type Switches } from './request-files.ts'
import type { Recording } from './requests.ts'
import { Recorder } from './recorder.ts'
import type { RequestRecord } from './record.ts'

/** Pause between two announcements of new requests. */
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
  readonly #keeping: RequestFiles
  #switches: Switches
  #recorder: Recorder | undefined
  #fresh: RequestRecord[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: InspectorOptions) {
    this.#options = options
    this.#keeping = new RequestFiles(options.folder)
    this.#switches = this.#keeping.readSwitches()
  }

  get switches(): Switches {
    return this.#switches
  }

  get recorder(): Recorder | undefined {
    return this.#recorder
  }

  /** Goes on as before the restart. */
  async resume(): Promise<void> {
    if (!this.#switches.recording) return
    this.#start()
    if (this.#switches.kept && this.#recorder)
      await this.#recorder.restore((ring) => this.#keeping.read(ring))
  }

  switchTo(switches: Switches): void {
    this.#keeping.writeSwitches(switches)
    if (this.#switches.kept && !switches.kept) this.#keeping.clear()
    this.#switches = switches
    if (switches.recording) this.#start()
    else this.#end()
    this.#announceSoon()
  }

  clear(): void {
    this.#recorder?.clear()
    this.#fresh = []
    this.#keeping.clear()
    this.#announceSoon()
  }

  /** Stops recording and writes the requests that are kept on disk. */
  async close(): Promise<void> {
    this.#options.observation.observer = null
    clearTimeout(this.#timer)
    this.#keepFresh()
    await this.#keeping.written()
  }

  #start(): void {
    this.#recorder ??= new Recorder({
      exists: this.#options.exists,
      added: (record) => {
        if (this.#switches.kept) this.#fresh.push(record)
        this.#announceSoon()
      },
    })
    this.#options.observation.observer = this.#recorder
  }

  #end(): void {
    this.#options.observation.observer = null
    this.#keepFresh()
    this.#recorder = undefined
  }

  #announceSoon(): void {
    if (this.#timer) return
    const { announce } = this.#options
    const wait = (): void => {
      this.#timer = setTimeout(() => {
        this.#timer = undefined
        this.#keepFresh()
        announce(this.#recorder?.last ?? 0)
      }, ANNOUNCE_MS).unref()
    }
    if (this.#recorder) this.#recorder.apart(wait)
    else wait()
  }

  #keepFresh(): void {
    const records = this.#fresh
    this.#fresh = []
    if (records.length > 0 && this.#recorder)
      this.#keeping.append(records, this.#recorder.ring, (error) =>
        this.#options.log.warn({ err: error }, 'the inspector could not keep requests on disk'),
      )
  }
}
