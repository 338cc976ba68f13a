//! The cheapest set of vertices that every path from a source to a sink passes: Dinic's maximum flow, with each vertex
//! split in two. E. A. Dinic, "Algorithm for Solution of a Problem of Maximum Flow in a Network with Power Estimation",
//! Soviet Mathematics Doklady, 1970.

use std::collections::VecDeque;

const UNBOUNDED: u64 = u64::MAX / 4;

struct Edge {
    to: usize,
    capacity: u64,
}

/// A network of vertices with costs. Edges are stored in pairs: an even one followed by its reverse.
pub(super) struct Network {
    edges: Vec<Edge>,
    of_vertex: Vec<Vec<usize>>,
}

const SOURCE: usize = 0;
const SINK: usize = 1;

impl Network {
    /// Makes a network of vertices with these costs, without edges.
    pub(super) fn new(costs: &[u64]) -> Self {
        let of_vertex = vec![Vec::new(); 2 + 2 * costs.len()];
        let mut network = Self { edges: Vec::new(), of_vertex };
        for (vertex, &cost) in costs.iter().enumerate() {
            network.edge(2 + 2 * vertex, 3 + 2 * vertex, cost);
        }
        network
    }

    fn edge(&mut self, from: usize, to: usize, capacity: u64) {
        self.of_vertex[from].push(self.edges.len());
        self.edges.push(Edge { to, capacity });
        self.of_vertex[to].push(self.edges.len());
        self.edges.push(Edge { to: from, capacity: 0 });
    }

    /// Adds an edge from one vertex to another.
    pub(super) fn connect(&mut self, from: usize, to: usize) {
        self.edge(3 + 2 * from, 2 + 2 * to, UNBOUNDED);
    }

    /// Marks a vertex as a source.
    pub(super) fn source(&mut self, vertex: usize) {
        self.edge(SOURCE, 2 + 2 * vertex, UNBOUNDED);
    }

    /// Marks a vertex as a sink.
    pub(super) fn sink(&mut self, vertex: usize) {
        self.edge(3 + 2 * vertex, SINK, UNBOUNDED);
    }

    /// Returns the cheapest cut; of several, the one nearest to the sinks.
    pub(super) fn cut(mut self) -> Vec<usize> {
        while let Some(levels) = self.levels() {
            let mut next = vec![0; self.of_vertex.len()];
            while self.augment(&levels, &mut next) {}
        }
        // Nodes that still reach the sink are behind the cut.
        let mut behind = vec![false; self.of_vertex.len()];
        behind[SINK] = true;
        let mut open = vec![SINK];
        while let Some(end) = open.pop() {
            for &edge in &self.of_vertex[end] {
                let start = self.edges[edge].to;
                if self.edges[edge ^ 1].capacity > 0 && !behind[start] {
                    behind[start] = true;
                    open.push(start);
                }
            }
        }
        let vertices = 0..(self.of_vertex.len() - 2) / 2;
        vertices.filter(|v| !behind[2 + 2 * v] && behind[3 + 2 * v]).collect()
    }

    /// Distances from the source over edges with capacity, if the sink is within reach.
    fn levels(&self) -> Option<Vec<usize>> {
        let mut levels = vec![usize::MAX; self.of_vertex.len()];
        levels[SOURCE] = 0;
        let mut open = VecDeque::from([SOURCE]);
        while let Some(start) = open.pop_front() {
            for &edge in &self.of_vertex[start] {
                let Edge { to, capacity } = self.edges[edge];
                if capacity > 0 && levels[to] == usize::MAX {
                    levels[to] = levels[start] + 1;
                    open.push_back(to);
                }
            }
        }
        (levels[SINK] != usize::MAX).then_some(levels)
    }

    /// Sends flow along one shortest path, without recursion. Returns whether there was one.
    fn augment(&mut self, levels: &[usize], next: &mut [usize]) -> bool {
        let (mut at, mut path) = (SOURCE, Vec::new());
        while at != SINK {
            if let Some(&edge) = self.of_vertex[at].get(next[at]) {
                let Edge { to, capacity } = self.edges[edge];
                if capacity > 0 && levels[to] == levels[at] + 1 {
                    path.push(edge);
                    at = to;
                } else {
                    next[at] += 1;
                }
            } else {
                // A dead end: go back, and past the edge that led here.
                let Some(edge) = path.pop() else { return false };
                at = self.edges[edge ^ 1].to;
                next[at] += 1;
            }
        }
        let flow = path.iter().map(|&edge| self.edges[edge].capacity).min().unwrap_or(0);
        for edge in path {
            self.edges[edge].capacity -= flow;
            self.edges[edge ^ 1].capacity += flow;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheapest_cuts_nearest_to_the_sinks() {
        // 0 and 1 lead to 2, which leads to 3, which leads to 4 and 5.
        let network = |costs: [u64; 6]| {
            let mut network = Network::new(&costs);
            for (from, to) in [(0, 2), (1, 2), (2, 3), (3, 4), (3, 5)] {
                network.connect(from, to);
            }
            [0, 1].into_iter().for_each(|vertex| network.source(vertex));
            [4, 5].into_iter().for_each(|vertex| network.sink(vertex));
            network.cut()
        };
        assert_eq!(network([1; 6]), [3]);
        assert_eq!(network([1, 1, 3, 4, 1, 1]), [4, 5]);
        assert_eq!(network([1, 1, 3, 4, 1, 2]), [0, 1]);
        assert_eq!(network([9, 9, 5, 6, 3, 4]), [2]);
    }
}
