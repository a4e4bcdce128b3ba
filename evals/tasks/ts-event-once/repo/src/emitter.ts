export type Listener<T> = (payload: T) => void;

/** Tells listeners about events. Events is a map of names to payloads. */
export class Emitter<Events extends Record<string, unknown>> {
  private listeners = new Map<keyof Events, Listener<never>[]>();

  /** Calls the listener at each event of this name; the function returned removes it. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const list = this.listeners.get(name) ?? [];
    this.listeners.set(name, [...list, listener]);
    return () => this.off(name, listener);
  }

  /** Removes a listener; nothing happens when it is not there. */
  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    const list = this.listeners.get(name) ?? [];
    this.listeners.set(name, list.filter((one) => one !== listener));
  }

  /** Calls all listeners of this name in the order they were added; how many were called. */
  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): number {
    const list = (this.listeners.get(name) ?? []) as Listener<Events[Name]>[];
    for (const listener of list) listener(payload);
    return list.length;
  }
}
