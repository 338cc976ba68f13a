// Values above a limit are cut to it: an 8-bit comparator and a multiplexer.
//
// yosys -p 'read_verilog clamp.v; synth -flatten -top clamp; abc -g AND,XOR,MUX; opt_clean; write_blif clamp.blif'
module clamp(input [7:0] x, input [7:0] limit, output [7:0] y, output over);
  assign over = x > limit;
  assign y = over ? limit : x;
endmodule
